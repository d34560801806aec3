package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class ReattachmentTest {

  private static final String WAIT_FOR_GO = "echo ready; until [ -e go ]; do sleep 0.02; done; ";

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
  void runningAttemptsAreSupervisedAgainAndTheirExitIsReported() throws Exception {
    SupervisedProcess before =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, WAIT_FOR_GO + "echo done; exit 5");

    Supervisor next = fixture.restartAgent();
    SupervisedProcess process = onlyAlive(next.recover());

    assertThat(process.id()).isEqualTo(before.id());
    assertThat(process.pid()).isEqualTo(before.pid());
    assertThat(process.startedAt()).isEqualTo(before.startedAt());
    assertThat(next.running()).containsExactly(before.id());
    go(process.id());
    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.EXITED);
    assertThat(ending.exitCode()).hasValue(5);
    assertThat(fixture.output(process)).isEqualTo("ready\ndone\n");
    assertThat(next.running()).isEmpty();
    assertThat(before.ending()).isNotDone();
  }

  @Test
  void attemptsThatEndedMeanwhileAreReportedWithTheirExit() throws Exception {
    SupervisedProcess before = fixture.startAndAwaitReady(NO_TIMEOUT, LONG, WAIT_FOR_GO + "exit 6");
    fixture.supervisor().close();
    go(before.id());
    await()
        .atMost(LONG)
        .until(() -> Files.exists(fixture.supervisor().directory(before.id()).exitRecord()));
    await().atMost(LONG).until(() -> !fixture.isAlive(before.pid().orElseThrow()));

    List<Recovered> recovered = fixture.restartAgent().recover();

    assertThat(recovered)
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Ended.class,
            ended -> {
              assertThat(ended.id()).isEqualTo(before.id());
              assertThat(ended.ending().kind()).isEqualTo(CommandEnd.Kind.EXITED);
              assertThat(ended.ending().exitCode()).hasValue(6);
            });
  }

  @Test
  void anAttemptWhoseSupervisorWasKilledIsLostAndItsChildrenAreKilled() throws Exception {
    SupervisedProcess before =
        fixture.startAndAwaitReady(
            NO_TIMEOUT, LONG, "sleep 1000 & echo child=$!; echo ready; sleep 1000");
    long child = fixture.printed(before, "child");
    fixture.supervisor().close();
    kill(before.pid().orElseThrow());
    assertThat(fixture.isAlive(child)).isTrue();

    List<Recovered> recovered = fixture.restartAgent().recover();

    assertThat(recovered)
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Lost.class,
            lost -> assertThat(lost.ending().kind()).isEqualTo(CommandEnd.Kind.LOST));
    assertThat(fixture.isAlive(child)).isFalse();
    assertThat(fixture.supervisor().running()).isEmpty();
  }

  @Test
  void anAttemptWhoseSupervisorIsKilledUnderALiveAgentIsLostAndItsChildrenAreKilled()
      throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(
            NO_TIMEOUT, LONG, "env -i sleep 1000 & echo child=$!; echo ready; sleep 1000");
    long child = fixture.printed(process, "child");
    kill(process.pid().orElseThrow());
    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.LOST);
    assertThat(fixture.isAlive(child)).isFalse();
  }

  @Test
  void theTimeLimitCountsFromTheFirstStart() throws Exception {
    Duration limit = Duration.ofSeconds(1);
    SupervisedProcess before =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo ready; sleep 1000");
    ProcessIdentity leader = fixture.table().identify(before.pid().orElseThrow()).orElseThrow();
    fixture.supervisor().close();
    launchRecord(limit).write(fixture.supervisor().directory(before.id()).launchRecord());
    await().atMost(LONG).until(() -> fixture.table().age(leader).compareTo(limit) > 0);

    SupervisedProcess process = onlyAlive(fixture.restartAgent().recover());

    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.TIMED_OUT);
    assertThat(ending.reason()).startsWith("killed: ran ").endsWith(", limit 1s");
  }

  @Test
  void aStopThatAnEarlierAgentBeganIsCarriedThroughForItsOwnReason() throws Exception {
    SupervisedProcess before =
        fixture.startAndAwaitReady(
            NO_TIMEOUT, Duration.ofMillis(300), "trap '' TERM; echo ready; sleep 1000");
    before.stop(new StopReason("cancelled by alice"));
    await()
        .atMost(LONG)
        .until(() -> Files.exists(fixture.supervisor().directory(before.id()).stoppingRecord()));

    SupervisedProcess process = onlyAlive(fixture.restartAgent().recover());

    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(ending.reason()).isEqualTo("stopped: cancelled by alice");
  }

  @Test
  void aProcessThatHasTheSameIdButAnotherStartIsNotTouched() throws Exception {
    Process stranger = new ProcessBuilder("setsid", "sleep", "1000").start();
    try {
      ProcessIdentity real = fixture.table().identify(stranger.pid()).orElseThrow();
      AttemptDirectory attempt = attemptOf(real.startTicks() - 1, real.bootId(), stranger.pid());

      List<Recovered> recovered = fixture.supervisor().recover();

      assertThat(recovered)
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.Lost.class, lost -> assertThat(lost.id()).isEqualTo(attempt.id()));
      assertThat(fixture.isAlive(stranger.pid())).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void anAttemptOfAnEarlierBootIsLostAndItsProcessIdIsNotTouched() throws Exception {
    Process stranger = new ProcessBuilder("setsid", "sleep", "1000").start();
    try {
      ProcessIdentity real = fixture.table().identify(stranger.pid()).orElseThrow();
      attemptOf(real.startTicks(), "an-earlier-boot", stranger.pid());

      List<Recovered> recovered = fixture.supervisor().recover();

      assertThat(recovered)
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.Lost.class,
              lost ->
                  assertThat(lost.ending().reason())
                      .isEqualTo("the machine was restarted while it ran"));
      assertThat(fixture.isAlive(stranger.pid())).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void anAttemptThatWasPreparedButNeverLaunchedCertainlyRanNothing() throws Exception {
    fixture.supervisor().directory(new AttemptId(3, 1)).create();
    assertThat(fixture.supervisor().recover())
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Lost.class,
            lost -> assertThat(lost.ending().kind()).isEqualTo(CommandEnd.Kind.NEVER_BEGAN));
  }

  @Test
  void anAttemptMayHaveRunIfTheDiskCannotTell() throws Exception {
    AttemptDirectory attempt = fixture.supervisor().directory(new AttemptId(3, 1));
    Files.createDirectories(attempt.path().getParent());
    // Every access below fails, and not because there is nothing.
    Files.createSymbolicLink(attempt.path(), attempt.path().getFileName());
    assertThat(new AttemptRecords(attempt).wasLaunched()).isTrue();
  }

  @Test
  void aFailedStartIsStillOneAfterTheAgentWasRestarted() throws Exception {
    SupervisedProcess before = fixture.start("-no-program");
    CommandEnd ending = ending(before);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(fixture.restartAgent().recover())
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Ended.class,
            ended -> assertThat(ended.ending().reason()).isEqualTo(ending.reason()));
  }

  @Test
  void anAttemptWhoseEndingWasReportedIsPassedOver() throws Exception {
    SupervisedProcess before = fixture.start("true");
    ending(before);
    fixture.supervisor().directory(before.id()).markReported();
    assertThat(fixture.restartAgent().recover()).isEmpty();
  }

  @Test
  void anAttemptThatRunsUnderThisSupervisorIsNotRecovered() {
    fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo ready; sleep 1000");
    assertThat(fixture.supervisor().recover()).isEmpty();
  }

  private AttemptDirectory attemptOf(long startTicks, String boot, long pid) throws Exception {
    AttemptDirectory attempt = fixture.supervisor().directory(new AttemptId(8, 1));
    attempt.create();
    launchRecord(Duration.ZERO).write(attempt.launchRecord());
    new LineRecord(
            Map.of("pid", Long.toString(pid), "start", Long.toString(startTicks), "boot", boot))
        .write(attempt.supervisorRecord());
    return attempt;
  }

  private static LineRecord launchRecord(Duration timeout) {
    return new LineRecord(
        Map.of("started", "2026-01-01T00:00:00Z", "timeout", timeout.toString(), "grace", "PT0S"));
  }

  private void go(AttemptId id) throws Exception {
    Files.createFile(fixture.supervisor().directory(id).work().resolve("go"));
  }

  private void kill(long pid) {
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    await().atMost(LONG).until(() -> !fixture.isAlive(pid));
  }

  private static SupervisedProcess onlyAlive(List<Recovered> recovered) {
    assertThat(recovered).singleElement().isInstanceOf(Recovered.Alive.class);
    return ((Recovered.Alive) recovered.get(0)).process();
  }
}
