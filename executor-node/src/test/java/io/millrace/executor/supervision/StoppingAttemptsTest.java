package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.executor.supervision.AttemptCommand.ShellScripts;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.AttemptRecords.Intent;
import io.millrace.platform.clock.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class StoppingAttemptsTest {

  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration FOR_EVER = Duration.ofDays(1);
  private static final StopReason CANCELLED = new StopReason("cancelled by alice");

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
  void theTimeLimitEndsAWholeTreeThatIgnoresTheRequestToEnd() throws Exception {
    SupervisedProcess process =
        fixture.start(
            Duration.ofMillis(700),
            SHORT,
            "sh",
            "-c",
            "trap '' TERM; sh -c 'sleep 1000; true' & sleep 1000 & wait");
    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.TIMED_OUT);
    assertThat(ending.reason()).startsWith("killed: ran ").endsWith(", limit 700ms");
    assertThat(ending.signal()).hasValue(9);
    assertThat(fixture.hasFamily(process)).isFalse();
    assertThat(fixture.supervisor().running()).isEmpty();
  }

  @Test
  void aCommandThatEndsInTimeIsNotTouchedByItsLimit() throws Exception {
    CommandEnd ending = ending(fixture.start(LONG, SHORT, "true"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.EXITED);
  }

  @Test
  void aStoppedCommandMayCleanUpAndItsExitCodeIsKept() throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(
            NO_TIMEOUT,
            LONG,
            "trap 'echo cleaned; exit 3' TERM; echo ready; while :; do sleep 0.02; done");
    process.stop(CANCELLED);
    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(ending.reason()).isEqualTo("stopped: cancelled by alice");
    assertThat(ending.exitCode()).hasValue(3);
    assertThat(fixture.output(process)).endsWith("cleaned\n");
  }

  @Test
  void theFirstReasonToStopCounts() throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(NO_TIMEOUT, SHORT, "trap '' TERM; echo ready; sleep 1000");
    process.stop(CANCELLED);
    process.stop(new StopReason("drained"));
    assertThat(ending(process).reason()).isEqualTo("stopped: cancelled by alice");
  }

  @Test
  void aStopAfterTheEndChangesNothing() throws Exception {
    SupervisedProcess process = fixture.start("true");
    CommandEnd ending = ending(process);
    process.stop(CANCELLED);
    assertThat(ending(process)).isSameAs(ending);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.EXITED);
  }

  @RepeatedTest(20)
  void aStopRightAfterTheStartEndsTheAttemptWithoutTheGrace() throws Exception {
    SupervisedProcess process = fixture.start(NO_TIMEOUT, FOR_EVER, "sleep", "1000");
    process.stop(CANCELLED);
    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(fixture.hasFamily(process)).isFalse();
  }

  @Test
  void aCommandWhoseStopWasRecordedBeforeItBeganDoesNotBegin() throws Exception {
    AttemptDirectory attempt = fixture.supervisor().directory(fixture.nextId());
    attempt.create();
    new AttemptRecords(attempt).writeIntent(new Intent(CommandEnd.Kind.STOPPED, "cancelled"));
    Path began = directory.resolve("began");

    Process leader =
        new ProcessBuilder(
                "setsid",
                "sh",
                ShellScripts.install(directory.resolve("scripts")).supervise().toString(),
                attempt.path().toString(),
                "--",
                "touch",
                began.toString())
            .start();

    assertThat(leader.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(began).doesNotExist();
    assertThat(attempt.exitRecord()).content().startsWith("code=143\n");
  }

  @Test
  void aSuspendedCommandIsContinuedToHearTheRequest() throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo ready; kill -s STOP $$; sleep 1000");
    process.stop(CANCELLED);
    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(ending.signal()).hasValue(15);
  }

  @Test
  void otherGroupsOfTheSessionEndWithAStoppedAttempt() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "needs job control without a terminal");
    SupervisedProcess process =
        fixture.startAndAwaitReady(
            NO_TIMEOUT,
            SHORT,
            "exec bash -c 'set -m; sleep 1000 & echo child=$!; echo ready; wait'");
    long child = fixture.printed(process, "child");
    assertThat(fixture.table().find(child).orElseThrow().group())
        .isNotEqualTo(process.pid().orElseThrow());
    process.stop(CANCELLED);
    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(fixture.isAlive(child)).isFalse();
  }

  @Test
  void processesThatSurviveKillAreReportedAsUnkillable() throws Exception {
    GroupSignals withoutEffect =
        new GroupSignals() {
          @Override
          public void terminate(Collection<Long> groups) {}

          @Override
          public void kill(Collection<Long> groups) {}
        };
    try (Supervisor helpless =
        new Supervisor(
            directory.resolve("other-run"),
            fixture.attempts(),
            AttemptMarks.of(fixture.node, fixture.attempts()),
            System.getenv(),
            new SupervisionSettings(Duration.ofMillis(10), SHORT),
            new SystemClock(),
            fixture.table(),
            Optional.of(withoutEffect))) {
      SupervisedProcess process =
          helpless.start(
              new CommandOrder(
                  fixture.nextId(),
                  List.of("sh", "-c", "echo ready; sleep 1000"),
                  Map.of(),
                  Optional.empty(),
                  NO_TIMEOUT,
                  SHORT));
      await().atMost(LONG).until(() -> fixture.output(process).contains("ready"));
      process.stop(CANCELLED);
      CommandEnd ending = ending(process);
      assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.UNKILLABLE);
      assertThat(ending.reason())
          .startsWith("stopped: cancelled by alice; could not be killed: process ")
          .contains(process.pid().orElseThrow() + " (state ");
    }
  }
}
