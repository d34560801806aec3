package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.cluster.Folders;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A backup under load, kill -9 of the central manager and the queue nodes, and their restoration
 * into empty folders, while the execution nodes go on running what they had.
 */
@Tag("drill")
class RestoredClusterTest {
  @RegisterExtension static final SeparateRoles CLUSTER = new SeparateRoles();

  private static final Duration LONG = Duration.ofMinutes(3);

  @Test
  void nothingAcceptedBeforeTheBackupIsMissingAndNoSingleInstanceOverlaps() throws Exception {
    Journal journal = new Journal(CLUSTER.folder("journal"));
    defineQueue(journal);
    // Ends when it is killed only, so that an overlap would last.
    Path stubborn =
        journal.script("stubborn", "trap '' TERM; for i in $(seq 600); do sleep 1; done");
    long unknown = single("unknown", stubborn, journal, true);
    long known = single("known", stubborn, journal, false);
    Path patient = journal.script("patient", "sleep 600");
    long kept =
        CLUSTER
            .central()
            .submit(JobDraft.command("sh", patient.toString(), journal.folder().toString()).spec())
            .id();
    await("jobs run")
        .atMost(LONG)
        .until(() -> state(known) == JobState.RUNNING && state(kept) == JobState.RUNNING);

    Set<String> before = new HashSet<>();
    for (int batch = 0; batch < 40; batch++) {
      before.addAll(send("before-" + batch, 5));
    }
    List<String> during = new ArrayList<>();
    Thread load =
        new Thread(
            () -> {
              for (int batch = 0; !Thread.currentThread().isInterrupted(); batch++) {
                during.addAll(send("during-" + batch, 5));
              }
            });
    load.start();
    Path file = CLUSTER.folder("backups").resolve("b.zip");
    try {
      run("backup", file.toString());
    } finally {
      load.interrupt();
      load.join();
    }

    // The backup knows it as held; a node runs it.
    CLUSTER
        .central()
        .act(new JobAction(Verb.RELEASE, List.of(unknown), null, null, null, false, false));
    await("the other single instance runs")
        .atMost(LONG)
        .until(
            () -> journal.starts().stream().anyMatch(one -> one.attempt().equals(unknown + ".1")));
    long lost = CLUSTER.central().submit(JobDraft.command("/bin/true").spec()).id();
    List<String> processed = journal.events();
    for (String name : List.of("c1", "q1", "q2")) {
      CLUSTER.kill(name);
      Folders.delete(CLUSTER.data(name));
    }

    run("restore", file.toString(), "--manager-config", CLUSTER.configuration("c1").toString());
    for (String name : List.of("q1", "q2")) {
      run(
          "restore",
          file.toString(),
          "--queue-node-config",
          CLUSTER.configuration(name).toString());
    }
    for (String name : List.of("c1", "q1", "q2")) {
      CLUSTER.start(name);
    }
    CLUSTER.awaitEveryNode();
    assertThat(state(unknown)).isEqualTo(JobState.HELD);
    CLUSTER
        .central()
        .act(new JobAction(Verb.RELEASE, List.of(unknown), null, null, null, false, false));

    await("every event accepted before the backup is processed")
        .atMost(LONG)
        .untilAsserted(() -> assertThat(workedOn(journal)).containsAll(before));
    await("the single instance that the backup did not know runs again")
        .atMost(LONG)
        .until(() -> state(unknown) == JobState.RUNNING);
    await("the one that it knew runs").atMost(LONG).until(() -> state(known) == JobState.RUNNING);
    assertThat(journal.overlaps()).as("copies beside an earlier one that is alive").isEmpty();
    assertThat(CLUSTER.central().job(kept).job().attempt()).as("it went on").isEqualTo(1);
    assertThat(state(kept)).isEqualTo(JobState.RUNNING);
    assertThat(CLUSTER.central().job(unknown).job().attempt()).isGreaterThan(100_000);
    assertThat(CLUSTER.central().submit(JobDraft.command("/bin/true").spec()).id())
        .isGreaterThan(lost);
    Set<String> worked = workedOn(journal);
    System.out.printf(
        "%d events before the backup, %d during it; %d deliveries before the kill, %d in all;"
            + " not in the backup and not processed: %s%n",
        before.size(),
        during.size(),
        processed.size(),
        journal.events().size(),
        during.stream().filter(id -> !worked.contains(id)).toList());
    journal.killRemaining();
  }

  private static long single(String name, Path script, Journal journal, boolean held) {
    return CLUSTER
        .central()
        .submit(
            JobDraft.command("sh", script.toString(), journal.folder().toString())
                .name(name)
                .single(name)
                // Longer than the outage, so that a copy is running at its end.
                .failover(Duration.ofSeconds(45))
                .hold(held)
                .spec())
        .id();
  }

  private static JobState state(long id) {
    return CLUSTER.central().job(id).job().state();
  }

  private static void defineQueue(Journal journal) throws IOException {
    Path worker =
        journal.script(
            "worker",
            "cat > $1/events/.$MILLRACE_ATTEMPT; sleep 0.3;"
                + " mv $1/events/.$MILLRACE_ATTEMPT $1/events/$MILLRACE_ATTEMPT");
    CLUSTER.define(
        "steady",
        """
        kind: queue
        name: steady
        batch: 5
        lease: 5s
        pacing: {tick: 500ms, waitTarget: 10s, maxWorkers: 2}
        worker: {command: ["sh", "%s", "%s"]}
        """
            .formatted(worker, journal.folder()));
  }

  /** Sends a batch; the ids of its events once it was accepted. */
  private static List<String> send(String batch, int count) {
    String body = IntStream.range(0, count).mapToObj(n -> n + "\n").collect(Collectors.joining());
    SendAnswer answer =
        CLUSTER
            .producer()
            .send("steady", batch, EventMedia.LINES, body.getBytes(StandardCharsets.UTF_8));
    return IntStream.range(0, answer.accepted()).mapToObj(n -> answer.batch() + "-" + n).toList();
  }

  private static Set<String> workedOn(Journal journal) throws IOException {
    return journal.events().stream()
        .map(line -> Json.read(line, JsonNode.class).get("id").asText())
        .collect(Collectors.toSet());
  }

  private static void run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal =
        new Terminal(new ByteArrayInputStream(new byte[0]), stream, stream, false, false);
    Map<String, String> environment =
        Map.of(
            "MILLRACE_URL", CLUSTER.address().toString(),
            "MILLRACE_TOKEN_FILE", TokenFiles.of(CLUSTER.tokens(), Role.ADMIN).toString());
    int code =
        Main.run(
            new Invocation(terminal, environment, new JdkTransport(), new SystemClock()),
            arguments);
    String said = out.toString(StandardCharsets.UTF_8);
    System.out.println(said);
    assertThat(code).as(said).isZero();
  }
}
