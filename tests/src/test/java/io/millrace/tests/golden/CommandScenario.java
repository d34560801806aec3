package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import io.millrace.api.insight.QueueView;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands that are run against the cluster after the requests of the scenario. */
final class CommandScenario {
  private static final List<String> SHOWN =
      List.of(
          "definition list",
          "definition list --deleted",
          "definition show queue/orders",
          "definition history queue/orders",
          "queue list",
          "queue show orders",
          "queue show mails",
          "queue show nothing",
          "queue history nothing --since 5m",
          "queue history orders --from 2026-03-01T12:00:00Z --to 2026-03-01T11:00:00Z",
          "queue weights spare",
          "queue weights spare --history",
          "queue peek orders --limit 2",
          "queue dead list orders",
          "queue dead groups orders",
          "queue dead show orders direct-1",
          "queue decisions mails --limit 1",
          "queue explain mails --limit 0",
          "queue logs mails",
          "job list",
          "job list state:failed",
          "job list state:done",
          "job failures",
          "usage",
          "job show {printer}",
          "job show 987654321",
          "job history {printer}",
          "job explain {lost}",
          "node list",
          "node show q1",
          "node show e1",
          "node show nobody",
          "node decisions",
          "share list",
          "licence list",
          "partition list",
          "partition show mailboxes",
          "partition cycles mailboxes",
          "task list",
          "task show report",
          "task next report",
          "task history report",
          "task logs report",
          "problems",
          "problems --ended",
          "problems silences",
          "version");

  private static final List<String> DONE =
      List.of(
          "definition rollback queue/orders --dry-run",
          "problems silence DISK_FULL e9 --for 1h --reason 'new disks come'",
          "problems silence NOTHING --for 1h --reason none",
          "problems silence QUEUE_PAUSED ordres --for 1h --reason none",
          "problems lift DISK_FULL e9",
          "queue pause orders --sending --reason stocktaking",
          "queue resume orders --sending",
          "queue set mails --max-workers 3 --for 1h --reason sale",
          "queue unset mails",
          "queue dead requeue orders --reason 'no such reason'",
          "queue dead requeue orders --handle q1/987654321 --data 1",
          "queue dead drop orders --id nobody --yes",
          "queue purge orders --delayed --yes",
          "queue purge nothing --delayed --yes",
          "delete queue orders",
          "delete queue nothing --yes",
          "delete queue spare --dry-run",
          "delete task report --dry-run",
          "submit --hold --name typed -- /bin/echo hello",
          "submit --array 1-3 --hold -- /bin/true",
          "submit --slots 0 -- /bin/true",
          "job hold 987654321",
          "job priority {full} 9",
          "job hold {full}",
          "job release {full}",
          "job cancel {full}",
          "job retry {full}",
          "job delete {full} --yes",
          "node drain e1 --reason disk",
          "node undrain e1",
          "node maintenance e1 --for 5m",
          "node undrain e1",
          "node allow e1 mails",
          "node forget q1",
          "share set reports 3",
          "licence set solver --total 7",
          "licence set nobodys --total 0",
          "task pause report",
          "task resume report",
          "task run nothing",
          "task stop report",
          "job wait {greeter}",
          "job logs {greeter}",
          "job delete {greeter} --dry-run",
          "token join --role execution-node",
          "identity withdraw nobody",
          "completion",
          "help licence",
          "dashboard");

  private static final List<String> SESSIONS_SHOWN =
      List.of(
          "definition show queue parcels",
          "session list parcels",
          "session list parcels --limit 1",
          "session list parcels --state completed",
          "session list parcels --worker packer-3",
          "session list parcels --worker nobody",
          "session list orders",
          "session list nothing",
          "session show parcels p5",
          "session show parcels p6",
          "session show parcels p3",
          "session show parcels p2",
          "session show parcels nobody",
          "session worker list parcels",
          "session worker show parcels packer-3",
          "session worker show parcels nobody");

  private static final List<String> SESSIONS_DONE =
      List.of(
          "session move parcels p6 --reason 'address corrected'",
          "session move parcels nobody",
          "session show parcels p6",
          "session close parcels p6",
          "session close parcels p5 --reason 'sent back'",
          "session close parcels p5",
          "session drop parcels p7",
          "session drop parcels p7 --reason 'sent by mistake' --yes",
          "session drop parcels p9 --yes",
          "session worker retire parcels packer-3 --ask --reason 'new version'",
          "session worker retire parcels packer-3 --reason 'does not end'",
          "session worker retire parcels packer-9",
          "session worker retire parcels 00000000-0000-0000-0000-0000000000f9");

  /** So many are opened by the chapter of sessions. */
  private static final int SESSIONS = 8;

  private static final Pattern JOB = Pattern.compile("\\{([a-z]+)}");

  private CommandScenario() {}

  /** Replaces the placeholder of a job by its id. */
  private static String named(RecordingClient client, String line) {
    Matcher job = JOB.matcher(line);
    return job.replaceAll(
        name -> client.look("/v1/jobs?limit=1&name=" + name.group(1)).at("/jobs/0/id").asText());
  }

  static void play(RecordingClient client, CommandChapter commands, Normalizer normalizer) {
    SHOWN.forEach(line -> commands.shows(normalizer, named(client, line)));
    DONE.forEach(line -> commands.does(normalizer, named(client, line)));
    String queue = "{kind: queue, name: typed, minSegments: 1}\n";
    for (String json : List.of("", " --json")) {
      commands.run(normalizer, "check -" + json, queue);
      commands.run(normalizer, "check -" + json, "{kind: queue, name: typed, bach: 1}\n");
      commands.run(normalizer, "apply --dry-run -f -" + json, queue);
      commands.run(normalizer, "apply -f -" + json, queue);
      commands.run(normalizer, "task import --dry-run -" + json, "30 4 * * 1 /bin/true\n");
      commands.run(normalizer, "queue send typed --batch cli" + json, "{\"n\":1}\n");
    }
  }

  static void playSessions(RecordingClient client, CommandChapter commands, Normalizer normalizer) {
    SESSIONS_SHOWN.forEach(line -> commands.shows(normalizer, line));
    SESSIONS_DONE.forEach(line -> commands.run(normalizer, line, ""));
    commands.shows(normalizer, "session worker list parcels");
    commands.shows(normalizer, "session list parcels");
    await("the central managers know that no session is left")
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              QueueView queue = client.cluster().view("parcels");
              return queue.sessions().opened() == SESSIONS && queue.waiting() + queue.leased() == 0;
            });
    commands.shows(normalizer, "queue show parcels");
  }

  /** Last of all, because nothing can run any more afterwards. */
  static void playEnd(CommandChapter commands, Normalizer normalizer) {
    commands.does(normalizer, "identity withdraw e1");
  }
}
