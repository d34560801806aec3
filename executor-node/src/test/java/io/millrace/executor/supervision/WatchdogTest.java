package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.Exclusion;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import io.millrace.platform.clock.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class WatchdogTest {
  private static final Duration LEASE = Duration.ofMillis(1_500);
  private static final Exclusion FOR_THE_LEASE = new Exclusion(Optional.empty());
  // Ignores the request to end and leaves a child in its group, and one in a session of its own.
  private static final String STUBBORN =
      "trap '' TERM HUP; sleep 1000 & echo child=$!; setsid sleep 1000 & echo escaped=$!;"
          + " echo ready; while :; do sleep 1000; done";

  @TempDir private Path directory;
  private SupervisionFixture fixture;

  @BeforeEach
  void open() {
    fixture = new SupervisionFixture(directory);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aSingleInstanceWhoseLeaseIsNotRenewedIsKilledWithAllThatItStarted() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    Duration granted = leases.now();
    leases.renewed(granted, LEASE);
    SupervisedProcess process = start(FOR_THE_LEASE, STUBBORN);
    long child = fixture.printed(process, "child");
    long escaped = fixture.printed(process, "escaped");

    CommandEnd ending = ending(process);

    assertThat(leases.now()).isGreaterThanOrEqualTo(granted.plus(LEASE));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.LOST);
    assertThat(ending.reason()).startsWith("killed by its watchdog");
    awaitGone(child, escaped, process.pid().orElseThrow());
    await().atMost(LONG).until(() -> !watchdogLives(process.id()));
  }

  @Test
  void theSameAttemptOfACopyOfTheNodeIsNotKilledWithIt() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), LONG);
    SupervisedProcess original = start(FOR_THE_LEASE, STUBBORN);
    long escaped = fixture.printed(original, "escaped");

    try (Supervisor copy = fixture.copyOfTheNode()) {
      copy.leases().renewed(copy.leases().now(), LEASE);
      SupervisedProcess copied = copy.start(launch(original.id(), FOR_THE_LEASE, STUBBORN));

      assertThat(ending(copied).reason()).startsWith("killed by its watchdog");
    }
    assertThat(fixture.isAlive(escaped)).isTrue();
    assertThat(original.ending()).isNotDone();
  }

  @Test
  void aSingleInstanceWhoseLeaseIsRenewedContinues() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), LEASE);
    SupervisedProcess process =
        start(FOR_THE_LEASE, "echo ready; until [ -e go ]; do sleep 0.02; done; exit 3");
    Duration begin = leases.now();
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              leases.renewed(leases.now(), LEASE);
              return leases.now().compareTo(begin.plus(LEASE.multipliedBy(2))) > 0;
            });
    assertThat(process.ending()).isNotDone();

    Files.createFile(fixture.supervisor().directory(process.id()).work().resolve("go"));

    assertThat(ending(process).exitCode()).hasValue(3);
    await().atMost(LONG).until(() -> !watchdogLives(process.id()));
  }

  @Test
  void aSingleInstanceThatIsNotCurrentAnyMoreGetsNoMoreTimeFromRenewals() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), LEASE);
    SupervisedProcess current = start(FOR_THE_LEASE, "echo ready; sleep 1000");
    SupervisedProcess outdated = start(FOR_THE_LEASE, STUBBORN);

    leases.outdated(outdated.id());
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              leases.renewed(leases.now(), LEASE);
              return outdated.ending().isDone();
            });

    assertThat(ending(outdated).reason()).startsWith("killed by its watchdog");
    assertThat(current.ending()).isNotDone();
  }

  @Test
  void aLongerFailoverTimeOutlastsTheLease() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), Duration.ofMillis(200));
    Duration failover = Duration.ofSeconds(2);
    Duration granted = leases.now();
    SupervisedProcess process =
        start(new Exclusion(Optional.of(failover)), "echo ready; sleep 1000");

    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.LOST);
    assertThat(leases.now().minus(granted)).isGreaterThan(Duration.ofMillis(1_500));
  }

  @Test
  void nothingIsStartedWhenTheLeaseExpiredBeforeTheStart() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now().minus(LEASE), LEASE);

    SupervisedProcess process = fixture.supervisor().start(launch(FOR_THE_LEASE, "echo started"));

    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(ending(process).reason()).contains("lease");
    assertThat(fixture.output(process)).isEmpty();
  }

  @Test
  void aRestartedAgentContinuesRenewalsWithTheSameWatchdog() throws Exception {
    ExclusionLeases before = fixture.supervisor().leases();
    before.renewed(before.now(), LEASE);
    SupervisedProcess first = start(FOR_THE_LEASE, "echo ready; sleep 1000");
    ProcessIdentity watchdog = watchdog(first.id());

    Supervisor next = fixture.restartAgent();
    assertThat(next.recover()).singleElement().isInstanceOf(Recovered.Alive.class);
    next.leases().renewed(next.leases().now(), LONG);

    assertThat(watchdog(first.id())).isEqualTo(watchdog);
    assertThat(fixture.table().isAlive(watchdog)).isTrue();
    Duration begin = next.leases().now();
    await().atMost(LONG).until(() -> next.leases().now().compareTo(begin.plus(LEASE)) > 0);
    assertThat(fixture.isAlive(first.pid().orElseThrow())).isTrue();
  }

  @Test
  void aWatchdogThatWasKilledIsReplacedAtTheNextRenewal() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), LONG);
    SupervisedProcess process = start(FOR_THE_LEASE, STUBBORN);
    ProcessIdentity killed = watchdog(process.id());
    ProcessHandle.of(killed.pid()).orElseThrow().destroyForcibly();
    await().atMost(LONG).until(() -> !fixture.table().isAlive(killed));

    leases.renewed(leases.now(), LEASE);

    await().atMost(LONG).until(() -> watchdogLives(process.id()));
    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.LOST);
    assertThat(fixture.hasFamily(process)).isFalse();
  }

  @Test
  void renewalsWhileTheWatchdogIsBeingStartedStartNoSecondOne() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), LONG);
    SupervisedProcess process =
        fixture.supervisor().start(launch(FOR_THE_LEASE, "echo ready; sleep 1000"));

    await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              leases.renewed(leases.now(), LONG);
              return fixture.output(process).contains("ready");
            });

    assertThat(watchdogs(process)).containsExactly(watchdog(process.id()).pid());
  }

  @Test
  void anAttemptThatHidesItsWatchdogsRecordGetsOneMoreAndNotOneAtEachRenewal() throws Exception {
    ExclusionLeases leases = fixture.supervisor().leases();
    leases.renewed(leases.now(), LONG);
    SupervisedProcess process =
        start(
            FOR_THE_LEASE,
            "rm ../watchdog; mkfifo ../watchdog; echo ready;"
                + " until [ -e go ]; do rm -f ../watchdog; sleep 0.02; done");

    await()
        .atMost(LONG)
        .until(
            () -> {
              leases.renewed(leases.now(), LONG);
              return watchdogs(process).size() == 2;
            });
    List<Long> both = watchdogs(process);
    for (int renewal = 0; renewal < 20; renewal++) {
      leases.renewed(leases.now(), LONG);
    }
    assertThat(watchdogs(process)).containsExactlyInAnyOrderElementsOf(both);
    Files.createFile(fixture.supervisor().directory(process.id()).work().resolve("go"));

    ending(process);
    await().atMost(LONG).until(() -> watchdogs(process).isEmpty());
  }

  private List<Long> watchdogs(SupervisedProcess process) {
    String path = fixture.supervisor().directory(process.id()).path().toString();
    long leader = process.pid().orElseThrow();
    return ProcessHandle.allProcesses()
        .filter(one -> one.pid() != leader && watches(one, path))
        // A helper looks like the shell that has forked it until it has begun.
        .filter(one -> one.parent().filter(parent -> watches(parent, path)).isEmpty())
        .map(ProcessHandle::pid)
        .toList();
  }

  private static boolean watches(ProcessHandle one, String path) {
    return one.info()
        .commandLine()
        .filter(line -> line.contains("watchdog.sh") && line.contains(path))
        .isPresent();
  }

  @Test
  void anOrdinaryAttemptHasNoWatchdog() {
    SupervisedProcess process =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo ready; sleep 1000");
    assertThat(fixture.supervisor().directory(process.id()).watchdogRecord()).doesNotExist();
  }

  @Test
  void aSingleInstanceIsKilledWhenItsAgentIsKilledAndWhenItIsStopped() throws Exception {
    for (String signal : List.of("KILL", "STOP")) {
      Process agent = new AgentProcess(directory, fixture.node).start(signal);
      try {
        Path attempts = fixture.attempts();
        AttemptDirectory attempt = new AttemptDirectory(attempts, AgentProcess.id(signal));
        await().atMost(LONG).until(() -> text(attempt).contains("ready"));
        long escaped = AgentProcess.printed(text(attempt), "escaped");
        new ProcessBuilder("kill", "-s", signal, Long.toString(agent.pid())).start().waitFor();

        ProcessIdentity leader = new AttemptRecords(attempt).supervisor().orElseThrow();
        await().atMost(LONG).until(() -> !fixture.table().isAlive(leader));
        awaitGone(escaped, leader.pid());
        assertThat(new AttemptRecords(attempt).intent().orElseThrow().kind())
            .isEqualTo(CommandEnd.Kind.LOST);
      } finally {
        agent.destroyForcibly().waitFor();
      }
    }
  }

  /** An agent in a JVM of its own that is granted one lease and never hears again. */
  static final class AgentProcess {
    private final Path directory;
    private final UUID node;

    AgentProcess(Path directory, UUID node) {
      this.directory = directory;
      this.node = node;
    }

    static AttemptId id(String name) {
      return new AttemptId(name.hashCode() & 0xffff, 1);
    }

    static long printed(String output, String word) {
      return output
          .lines()
          .filter(line -> line.startsWith(word + "="))
          .map(line -> Long.valueOf(line.substring(word.length() + 1)))
          .findFirst()
          .orElseThrow();
    }

    Process start(String name) throws Exception {
      return new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:TieredStopAtLevel=1",
              "-cp",
              System.getProperty("java.class.path"),
              AgentProcess.class.getName(),
              directory.toString(),
              node.toString(),
              name)
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve("agent.log").toFile())
          .start();
    }

    public static void main(String[] arguments) {
      Path directory = Path.of(arguments[0]);
      try (Supervisor supervisor =
          new Supervisor(
              directory.resolve("run"),
              directory.resolve("attempts"),
              UUID.fromString(arguments[1]),
              System.getenv(),
              SupervisionSettings.defaults(),
              new SystemClock())) {
        supervisor.leases().renewed(supervisor.leases().now(), Duration.ofSeconds(3));
        CommandOrder launch = launch(id(arguments[2]), FOR_THE_LEASE, STUBBORN);
        supervisor.start(launch).ending().join();
      }
    }
  }

  private SupervisedProcess start(Exclusion exclusion, String script) throws Exception {
    SupervisedProcess process = fixture.supervisor().start(launch(exclusion, script));
    await().atMost(LONG).until(() -> fixture.output(process).contains("ready"));
    return process;
  }

  private CommandOrder launch(Exclusion exclusion, String script) {
    return launch(fixture.nextId(), exclusion, script);
  }

  private static CommandOrder launch(AttemptId id, Exclusion exclusion, String script) {
    return new CommandOrder(
            id, List.of("sh", "-c", script), Map.of(), Optional.empty(), NO_TIMEOUT, LONG)
        .withExclusion(Optional.of(exclusion));
  }

  private void awaitGone(long... pids) {
    for (long pid : pids) {
      await().atMost(LONG).until(() -> !fixture.isAlive(pid));
    }
  }

  private boolean watchdogLives(AttemptId id) throws Exception {
    return fixture.table().isAlive(watchdog(id));
  }

  private ProcessIdentity watchdog(AttemptId id) throws Exception {
    return new AttemptRecords(fixture.supervisor().directory(id)).watchdog().orElseThrow();
  }

  private static String text(AttemptDirectory attempt) throws Exception {
    return attempt.tail(LogStream.STDOUT, 1_000).text();
  }
}
