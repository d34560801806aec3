package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.platform.clock.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
class RunningAttemptsTest {

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
  void theExitCodeOfTheCommandIsReported() throws Exception {
    CommandEnd ending = ending(fixture.start("sh", "-c", "exit 7"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.EXITED);
    assertThat(ending.exitCode()).hasValue(7);
    assertThat(ending.signal()).isEmpty();
    assertThat(ending.reason()).isEqualTo("exited with code 7");
  }

  @Test
  void theSignalThatEndedTheCommandIsReported() throws Exception {
    CommandEnd ending = ending(fixture.start("sh", "-c", "kill -s SEGV $$"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.SIGNALLED);
    assertThat(ending.signal()).hasValue(11);
    assertThat(ending.exitCode()).isEmpty();
    assertThat(ending.reason()).isEqualTo("ended by signal 11 (SEGV)");
  }

  @Test
  void bothOutputsGoToTheirOwnFile() throws Exception {
    SupervisedProcess process = fixture.start("sh", "-c", "echo said; echo complained >&2");
    ending(process);
    assertThat(fixture.output(process)).isEqualTo("said\n");
    assertThat(fixture.errors(process)).isEqualTo("complained\n");
  }

  @Test
  void theFileStdinIsTheStandardInputOfTheCommand() throws Exception {
    AttemptId id = new AttemptId(99, 1);
    AttemptDirectory attempt = fixture.supervisor().directory(id);
    attempt.create();
    Files.writeString(attempt.stdin(), "first\nsecond\n");
    SupervisedProcess process = fixture.supervisor().start(launch(id, "cat"));
    ending(process);
    assertThat(fixture.output(process)).isEqualTo("first\nsecond\n");
  }

  @Test
  void withoutAFileStdinTheCommandReadsNothing() throws Exception {
    SupervisedProcess process = fixture.start("cat");
    assertThat(ending(process).exitCode()).hasValue(0);
    assertThat(fixture.output(process)).isEmpty();
  }

  @Test
  void argumentsReachTheCommandAsTheyWereGiven() throws Exception {
    SupervisedProcess process =
        fixture.start(
            "printf",
            "<%s>",
            "two words",
            "it's \"quoted\"",
            "two\nlines",
            "$HOME *",
            "",
            "-n",
            "\\");
    ending(process);
    assertThat(fixture.output(process))
        .isEqualTo("<two words><it's \"quoted\"><two\nlines><$HOME *><><-n><\\>");
  }

  @Test
  void anAttemptHasItsOwnSessionAndGroup() throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo child=$$; echo ready; sleep 100");
    ProcessEntry agent = fixture.table().find(ProcessHandle.current().pid()).orElseThrow();
    ProcessEntry child = fixture.table().find(fixture.printed(process, "child")).orElseThrow();
    assertThat(child.group()).isEqualTo(process.pid().orElseThrow()).isNotEqualTo(agent.group());
    assertThat(child.session()).isEqualTo(child.group()).isNotEqualTo(agent.session());
    assertThat(fixture.supervisor().running()).containsExactly(process.id());
  }

  @Test
  void aCommandThatIsNotFoundIsAFailedStartWithTheShellsMessage() throws Exception {
    CommandEnd ending = ending(fixture.start("no-such-program"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(ending.exitCode()).hasValue(127);
    assertThat(ending.reason()).startsWith("could not start: no-such-program: not found;");
  }

  @Test
  void aFileThatIsNotExecutableIsAFailedStart() throws Exception {
    Path file = Files.createFile(directory.resolve("data"));
    CommandEnd ending = ending(fixture.start(file.toString()));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(ending.exitCode()).hasValue(126);
    assertThat(ending.reason()).containsIgnoringCase("permission denied");
  }

  @Test
  void aCommandThatRanAndEndedWithCode127IsNotAFailedStart() throws Exception {
    CommandEnd ending = ending(fixture.start("sh", "-c", "no-such-program"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.EXITED);
    assertThat(ending.exitCode()).hasValue(127);
  }

  @Test
  void aCommandNamedLikeABuiltinOfTheShellDoesNotActOnTheSupervisingShell() throws Exception {
    CommandEnd ending = ending(fixture.start("exit", "0"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(ending.exitCode()).hasValue(127);
  }

  @Test
  void aCommandThatSignalsItsWholeGroupStillGetsItsExitRecorded() throws Exception {
    CommandEnd ending = ending(fixture.start("sh", "-c", "trap '' TERM; kill -s TERM 0; exit 9"));
    assertThat(ending.exitCode()).hasValue(9);
  }

  @Test
  void aChildInTheBackgroundDoesNotOutliveTheAttempt() throws Exception {
    SupervisedProcess process = fixture.start("sh", "-c", "sleep 1000 & echo child=$!; exit 0");
    assertThat(ending(process).exitCode()).hasValue(0);
    long child = fixture.printed(process, "child");
    await().atMost(LONG).until(() -> !fixture.isAlive(child));
  }

  @Test
  void theEnvironmentIsCleanAndMarked() throws Exception {
    try (Supervisor supervisor =
        new Supervisor(
            directory.resolve("other-run"),
            fixture.attempts(),
            fixture.node,
            Map.of("PATH", System.getenv("PATH"), "HOME", "/nowhere", "AGENT_SECRET", "hidden"),
            SupervisionFixture.SETTINGS,
            new SystemClock())) {
      AttemptId id = fixture.nextId();
      SupervisedProcess process =
          supervisor.start(
              new CommandOrder(
                  id,
                  List.of("env"),
                  Map.of("GIVEN", "two words", "MILLRACE_ATTEMPT", "1.1"),
                  Optional.empty(),
                  NO_TIMEOUT,
                  LONG));
      ending(process);
      assertThat(fixture.output(process).lines())
          .contains(
              "GIVEN=two words",
              "HOME=/nowhere",
              "MILLRACE_ATTEMPT=" + id,
              "MILLRACE_NODE=" + fixture.node)
          .noneMatch(line -> line.startsWith("AGENT_SECRET"));
    }
  }

  @Test
  void theWorkingDirectoryIsTheAttemptsOwnUnlessAnotherIsGiven() throws Exception {
    SupervisedProcess own = fixture.start("pwd");
    SupervisedProcess given = startIn(Files.createDirectory(directory.resolve("given")), "pwd");
    ending(own);
    ending(given);
    assertThat(fixture.output(own).strip())
        .isEqualTo(fixture.supervisor().directory(own.id()).work().toString());
    assertThat(fixture.output(given).strip()).isEqualTo(directory.resolve("given").toString());
  }

  @Test
  void aWorkingDirectoryThatDoesNotExistIsAFailedStart() throws Exception {
    CommandEnd ending = ending(startIn(directory.resolve("missing"), "pwd"));
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(ending.reason()).contains(directory.resolve("missing").toString());
    assertThat(fixture.supervisor().running()).isEmpty();
  }

  @Test
  void anAttemptIsStartedOnlyOnce() throws Exception {
    SupervisedProcess first = fixture.start("true");
    ending(first);
    assertThatThrownBy(() -> fixture.supervisor().start(launch(first.id(), "true")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT));
  }

  @Test
  void onlyTheAgentsUserMayReadTheFilesOfAnAttempt() throws Exception {
    SupervisedProcess process = fixture.start("true");
    ending(process);
    Path attempt = fixture.supervisor().directory(process.id()).path();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(attempt)))
        .isEqualTo("rwx------");
  }

  @Test
  void aMachineWithoutSetsidIsRefusedWithWhatToInstall() {
    assertThatThrownBy(
            () ->
                new Supervisor(
                    directory.resolve("run"),
                    fixture.attempts(),
                    UUID.randomUUID(),
                    Map.of("PATH", directory.toString()),
                    SupervisionSettings.defaults(),
                    new SystemClock()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("install util-linux");
  }

  @Test
  void nothingIsStartedOnceTheSupervisorIsClosed() {
    fixture.supervisor().close();
    assertThatThrownBy(() -> fixture.start("true"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }

  private SupervisedProcess startIn(Path workingDirectory, String... argv) {
    return fixture
        .supervisor()
        .start(
            new CommandOrder(
                fixture.nextId(),
                List.of(argv),
                Map.of(),
                Optional.of(workingDirectory),
                NO_TIMEOUT,
                LONG));
  }

  private static CommandOrder launch(AttemptId id, String... argv) {
    return new CommandOrder(id, List.of(argv), Map.of(), Optional.empty(), NO_TIMEOUT, LONG);
  }
}
