package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is wrong with a command is told with its option and the fix before anything is sent. */
class BadInputTest {
  @TempDir private Path folder;

  /** The arguments (FOLDER stands for an empty one), the option, a part of the fix. */
  static Stream<Arguments> badInputs() {
    return Stream.of(
        bad("submit --array 5-1 -- true", "--array", "must not exceed the last"),
        bad("submit --array ten -- true", "--array", "1-1000%50"),
        bad("submit --array 1-9%0 -- true", "--array", "the limit must be at least 1"),
        bad("submit --array 1-9:0 -- true", "--array", "step must be at least 1"),
        bad("submit --array 0-99999999 -- true", "--array", "at most 10000000"),
        bad("submit --array 1-9 --single one -- true", "--single", "%1"),
        bad("submit --array 1-9 --restart -- true", "--restart", "--array"),
        bad("submit --after-ok x -- true", "--after-ok", "use a number such as 17"),
        bad("submit --after-ok 0 -- true", "--after-ok", "use a number such as 17"),
        bad("submit --after-any 17[ -- true", "--after-any", "17[3]"),
        bad("submit --after-ok 7 --after-fail 7 -- true", "--after-", "use only one"),
        bad("submit --not-before tomorrow -- true", "--not-before", "+10m"),
        bad("submit --not-before +10x -- true", "--not-before", "+10m"),
        bad("submit --deadline 2020-01-01T00:00:00Z -- true", "--deadline", "use a future time"),
        bad("submit --not-before +2h --deadline +1h -- true", "--deadline", "is not after"),
        bad("submit --failover 10m -- true", "--failover", "--single NAME"),
        bad("submit --single a --failover 0 -- true", "--failover", "above 0"),
        bad("submit --retries -1 -- true", "--retries", "0 to 10000"),
        bad("submit --retries many -- true", "--retries", "not an integer"),
        bad("submit --restart --retries 3 -- true", "--retries", "--restart"),
        bad("submit --backoff 5s -- true", "--backoff", "--retries N"),
        bad("submit --retry-on exit -- true", "--retry-on", "--retries N"),
        bad("submit --retries 1 --retry-on crash -- true", "--retry-on", "start-failed"),
        bad(
            "submit --retries 1 --backoff 1h --max-backoff 1m -- true",
            "--max-backoff",
            "reduce --backoff"),
        bad("submit --retries 1 --retry-exit-codes 300 -- true", "--retry-exit-codes", "1 to 255"),
        bad(
            "submit --retries 1 --retry-exit-codes 3 --final-exit-codes 3,4 -- true",
            "--retry-exit-codes",
            "use only one"),
        bad("submit --memory much -- true", "--memory", "8MB"),
        bad("submit --memory 0 -- true", "--memory", "above 0"),
        bad("submit --cpu 0 -- true", "--cpu", "0.001 to 10000"),
        bad("submit --cpu NaN -- true", "--cpu", "0.001 to 10000"),
        bad("submit --cpu two -- true", "--cpu", "0.5"),
        bad("submit --slots 0 -- true", "--slots", "1 to 1000"),
        bad("submit --priority 2000000 -- true", "--priority", "-1000000 to 1000000"),
        bad("submit --resource gpu -- true", "--resource", "KEY=VALUE"),
        bad("submit --resource gpu=0 -- true", "--resource", "1 or more"),
        bad("submit --licence solver=few -- true", "--licence", "not an integer"),
        bad("submit --timeout soon -- true", "--timeout", "5m"),
        bad("submit --timeout 0 -- true", "--timeout", "above 0"),
        bad("submit --grace 2h -- true", "--grace", "0s to 1h"),
        bad("submit --env 1X=2 -- true", "--env", "letters, digits and _"),
        bad("submit --env-file etc/env -- true", "--env-file", "absolute path"),
        bad("submit --secret KEY=../shadow -- true", "--secret", "without a path"),
        bad("submit --env A=1 --secret A=a -- true", "--secret", "use only one"),
        bad("submit --notify-on failed -- true", "--notify-on", "--notify-webhook"),
        bad(
            "submit --notify-webhook htps://hooks.example/SECRET -- true",
            "--notify-webhook",
            "--notify-webhook: is not a URL; write one such as https://host/hook"),
        bad("submit --notify-webhook ftp://h/ -- true", "--notify-webhook", "https://host/hook"),
        bad("--server ftp://h/ job list", "--server", "'ftp://h/' is not a URL; write one such as"),
        bad("submit --notify-command 'page -- true", "--notify-command", "close it"),
        bad("submit --notify-webhook http://h/ --notify-on never -- true", "--notify-on", "late"),
        bad("submit --key é -- true", "--key", "a UUID"),
        bad("queue send alert {}", "--data", "another argument is a file"),
        bad("submit --file FOLDER/none.yaml", "--file", "cannot read file"),
        bad("submit", "CMD", "submit -- ls -l"),
        bad("job list --limit 0", "--limit", "1 to 1000"),
        bad("job list --limit all", "--limit", "not an integer"),
        bad("job show seventeen", "ID", "17[3]"),
        bad("job logs 17 --attempt 0", "--attempt", "must be from 1 to"),
        bad("job wait", "ID", "--help"),
        bad("job cancel", "ID", "--search"),
        bad("job cancel 17 --search state:failed", "--search", "either job IDs or"),
        bad("job hold --search ", "--search", "specify search terms"),
        bad("job retry --search state:failed", "state:failed", "--yes"),
        bad("job priority 17", "--to", "--help"),
        bad("job priority 17 --to 9999999", "--to", "-1000000 to 1000000"),
        bad("node maintenance e1", "--for", "--help"),
        bad("node maintenance e1 --for 0", "--for", "above 0"),
        bad("node drain e1 --kind printer", "--kind", "'printer' is not one of queue, execution"),
        bad("zzz", "unknown command 'zzz'", "millrace --help"),
        bad("job lst", "unknown command 'lst'", "list"),
        bad("job cancel 1 99999 abc", "unexpected argument 'abc'", "millrace job cancel --help"),
        bad("share set ann --weight 0", "--weight", "0.001 to"),
        bad("share set ann", "--weight", "--help"),
        bad("licence set solver --total -1", "--total", "0 to"),
        bad("licence set so/lver --total 1", "NAME", "letters, digits"),
        bad("join 127.0.0.1:1 --role printer --token-file t", "--role", "execution-node"),
        bad("join 127.0.0.1:1 --role queue-node --data FOLDER", "--token-file", "one-time token"),
        bad(
            "join 127.0.0.1:1 --role queue-node --data FOLDER --token-file FOLDER/none",
            "--token-file",
            "millrace token join"),
        bad(
            "join 127.0.0.1:1 --role queue-node --data FOLDER --token-file /etc/passwd",
            "--token-file",
            "contains no token"),
        bad("join 127.0.0.1:1 --role queue-node --name a/b --token-file t", "--name", "letters"),
        bad("token join --role admin", "--role", "load-balancer"),
        bad("token join --role queue-node --for 0", "--for", "above 0"),
        bad("token join --role queue-node --out FOLDER", "--out", "use a new file"),
        bad("workflow submit", "--file", "--help"),
        bad("workflow submit -f FOLDER/none.yaml", "--file", "cannot read file"),
        bad("workflow submit -f w.yaml --timeout 5m", "--timeout", "requires --wait"),
        bad("workflow submit -f w.yaml --arg night", "--arg", "KEY=VALUE"),
        bad("workflow submit -f w.yaml --run-key ", "--run-key", "1 to 200 characters"),
        bad("workflow list --state done", "--state", "'done' is not one of binding, checking"),
        bad("workflow list --limit 0", "--limit", "1 to 1000"),
        bad("workflow show nightly", "ID", "use a number"),
        bad("workflow limit 17", "--to", "--help"),
        bad("workflow limit 17 --to all", "--to", "50, or none"),
        bad("workflow limit 17 --to -1", "--to", "from 0 to"),
        bad("workflow delete 17", "workflow 17", "--yes"),
        bad("task run nightly --env foo", "for option '--env'", "KEY=VALUE"),
        bad("queue decisions alert --limit 0", "--limit", "1 to 1000"));
  }

  @ParameterizedTest(name = "{index}: {0}")
  @MethodSource("badInputs")
  void isReportedWithItsOptionAndTheSolutionAndNothingIsSent(
      String line, String option, String fix) {
    FakeCluster cluster = new FakeCluster();
    CommandRun run = new CommandRun(cluster);
    List<String> arguments =
        Arrays.asList(line.replace("FOLDER", folder.toString()).split(" ", -1));

    assertThat(run.run(arguments.toArray(String[]::new))).as(run.messages()).isEqualTo(2);

    assertThat(run.messages()).startsWith("error: ").contains(option).contains(fix);
    assertThat(run.messages()).doesNotContain("Exception", "java.");
    assertThat(run.output()).isEmpty();
    assertThat(cluster.asked()).isEmpty();
  }

  /** What stands in a job file, and what is said of it. */
  static Stream<Arguments> badFiles() {
    return Stream.of(
        bad("command: [ls]\nretrys: 3", "retrys", "did you mean 'retry'?"),
        bad("command: [ls]\nretry: {maximum: 3}", "retry.maximum", "known keys: "),
        bad("command: [ls]\narray: 9-1", "array", "must not exceed the last"),
        bad("command: [ls]\nmemory: lots", "memory", "8MB"),
        bad("command: [ls]\nslots: 5000", "slots", "1 to 1000"),
        bad("command: [ls]\nafter: [{job: 0}]", "after", "a number from 1"),
        bad("command: [ls]\ncommand: [pwd]", "line 2", "the key 'command' is given twice"),
        bad("{\"command\": [\"ls\"}", "line 1", "']' is expected, not '}'"),
        bad("command: [ls]\nprogram: no-op", "command", "give either command or program"),
        bad("name: nothing", "command", "[PROGRAM, ARGUMENT]"),
        bad("", "job.yaml", "command: [ls, -l]"));
  }

  @ParameterizedTest(name = "{index}: {0}")
  @MethodSource("badFiles")
  void inAJobFileIsReportedWithItsKey(String text, String key, String fix) throws IOException {
    FakeCluster cluster = new FakeCluster();
    CommandRun run = new CommandRun(cluster);
    Path file = Files.writeString(folder.resolve("job.yaml"), text);

    assertThat(run.run("submit", "-f", file.toString())).as(run.messages()).isEqualTo(2);

    assertThat(run.messages()).contains("--file").contains("job.yaml").contains(key).contains(fix);
    assertThat(run.messages()).doesNotContain("Exception", "java.");
    assertThat(cluster.asked()).isEmpty();
  }

  private static Arguments bad(String line, String option, String fix) {
    return Arguments.of(line, option, fix);
  }
}
