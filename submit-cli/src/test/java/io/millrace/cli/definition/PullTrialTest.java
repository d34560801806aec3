package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that lease their events themselves are real processes here, which use curl. */
class PullTrialTest {
  private static final String CALL =
      """
      call() {
        curl -s -X POST -H "Authorization: Bearer ${TOKEN:-$MILLRACE_TOKEN}" \\
          -H 'Content-Type: application/json' -d "$2" "$MILLRACE_URL/v1/queues/$1"
        echo
      }
      """;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @TempDir private Path folder;

  @BeforeEach
  void curlIsInstalled() {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")));
  }

  @Test
  void aWorkerLeasesAcknowledgesAndRefusesSampleEventsWithoutAnyServer() throws IOException {
    int code =
        attempt(
            """
            call alert/leases '{"max":3}'
            call alert/acks '{"receipts":["trial-1"]}'
            call alert/nacks '{"receipts":["trial-2"],"kind":"FAILED"}'
            call alert/acks '{"receipts":["trial-1"]}'
            """,
            "",
            "--event",
            "{\"user\":17}",
            "--event",
            "2",
            "--event",
            "3",
            "--event",
            "4");

    assertThat(code).isZero();
    assertThat(run.output())
        .contains("\"receipt\":\"trial-1\"", "\"data\":{\"user\":17}")
        .contains("\"stale\":[\"trial-1\"]");
    assertThat(run.messages())
        .contains("1 acknowledged, 1 refused, 1 leased and not answered, 1 not taken");
    assertThat(cluster.asked()).as("calls of servers").isEmpty();
  }

  @Test
  void theCommandExitsWithTheCodeOfTheWorker() throws IOException {
    assertThat(attempt("exit 3", "", "--event", "1")).isEqualTo(3);
    assertThat(run.messages()).contains("exit code 3").contains("1 not taken");
  }

  @Test
  void aWorkerThatDoesNotEndIsEndedAfterItsTimeout() throws IOException {
    assertThat(attempt("sleep 60", "  timeout: 100ms\n  grace: 100ms\n", "--event", "1"))
        .isEqualTo(124);
    assertThat(run.messages()).contains("timed out after 100ms");
  }

  @Test
  void otherTokensQueuesAndBrokenBodiesAreRefused() throws IOException {
    attempt(
        """
        call other/leases '{"max":1}'
        call alert/leases '{'
        call alert/leases '{"max":0}'
        call alert/acks '{}'
        call alert/acks null
        TOKEN=wrong call alert/leases '{"max":1}'
        """,
        "",
        "--event",
        "1");

    assertThat(run.output())
        .contains("UNKNOWN_ROUTE", "MALFORMED_BODY", "INVALID_REQUEST", "UNAUTHENTICATED");
    assertThat(run.messages()).contains("0 acknowledged, 0 refused").contains("1 not taken");
  }

  @Test
  void theWorkerGetsItsLimitsAndSecretsOfTheCallersEnvironment() throws IOException {
    run.with("API_KEY", "k");

    attempt(
        "echo $MILLRACE_BATCH $MILLRACE_LINGER_EVENTS $MILLRACE_LINGER_IDLE_SECONDS $API_KEY $LEVEL",
        """
          model: linger
          linger: {maxEvents: 7, idle: 1500ms}
          secrets: {API_KEY: key, OTHER: other}
          env: {LEVEL: high}
        """,
        "--event",
        "1");

    assertThat(run.output()).isEqualTo("2 7 1.5 k high\n");
    assertThat(run.messages()).contains("secret OTHER is not set");
  }

  private int attempt(String script, String settings, String... events) throws IOException {
    Path program = Files.writeString(folder.resolve("worker.sh"), CALL + script);
    Path file =
        Files.writeString(
            folder.resolve("alert.yaml"),
            "kind: queue\nname: alert\nbatch: 2\nworker:\n  command: [sh, "
                + program
                + "]\n  input: pull\n"
                + settings);
    String[] all = new String[events.length + 4];
    System.arraycopy(new String[] {"queue", "try", "-f", file.toString()}, 0, all, 0, 4);
    System.arraycopy(events, 0, all, 4, events.length);
    return run.run(all);
  }
}
