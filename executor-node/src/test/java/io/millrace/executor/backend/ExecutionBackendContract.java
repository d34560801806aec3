package io.millrace.executor.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.OpenBackend.Recovery;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What every backend keeps. A test of a backend extends this class, which needs {@code sh} where
 * the commands run; tests of what a backend declares not to be able to do are skipped.
 */
public abstract class ExecutionBackendContract extends BackendFixture {
  @Test
  void aCommandRunsToItsEndAndItsStartIsKnown() throws Exception {
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    RunningCommand command = start("true");

    CommandEnd end = end(command);
    assertThat(end.exitedWith(0)).as("%s", end).isTrue();
    assertThat(end.signal()).isEmpty();
    assertThat(command.started()).isCompleted();
    assertThat(command.started().join()).isBetween(before, Instant.now());
  }

  @Test
  void bothOutputsAreInTheirFilesAndPrivate() throws Exception {
    RunningCommand command = shell("echo grün; echo warnung >&2; echo ende");

    end(command);

    assertThat(output(command)).isEqualTo("grün\nende\n");
    assertThat(files(command).stderr()).hasContent("warnung\n");
    assertThat(Files.getPosixFilePermissions(files(command).stdout()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void argumentsArePassedAsTheyAre() throws Exception {
    String[] odd = {"", "a b", "'\"", "$HOME", "`x`", "*", "ß漢字🙂", "two\nlines", "--", "\\"};
    List<String> argv = new ArrayList<>(List.of("sh", "-c", "printf '<%s>' \"$@\"", "sh"));
    argv.addAll(List.of(odd));

    RunningCommand command = start(argv.toArray(String[]::new));

    assertThat(end(command).exitedWith(0)).isTrue();
    assertThat(output(command)).isEqualTo("<" + String.join("><", odd) + ">");
  }

  @Test
  void theExitCodeIsKnown() throws Exception {
    assertThat(end(shell("exit 3")).exitedWith(3)).isTrue();
    assertThat(end(shell("exit 3")).kind()).isEqualTo(CommandEnd.Kind.EXITED);
  }

  @Test
  void theSignalIsKnown() throws Exception {
    CommandEnd end = end(shell("kill -9 $$"));

    assertThat(end.kind()).isEqualTo(CommandEnd.Kind.SIGNALLED);
    assertThat(end.signal()).hasValue(9);
    assertThat(end.exitCode()).isEmpty();
  }

  @Test
  void aCommandHasTheVariablesOfItsOrderAndThoseInheritedAndNoOthers() throws Exception {
    RunningCommand command =
        start(order(List.of("env")).withEnvironment(Map.of("GREETING", "grüß dich")));
    RunningCommand other = start(order(List.of("env")).withEnvironment(Map.of(INHERITED, "own")));

    assertThat(end(command).exitedWith(0)).isTrue();
    assertThat(output(command)).contains("GREETING=grüß dich\n", INHERITED + "=yes\n");
    assertThat(System.getenv()).containsKey("HOME");
    assertThat(output(command)).doesNotContain("\nHOME=");
    end(other);
    assertThat(output(other)).contains(INHERITED + "=own\n").doesNotContain(INHERITED + "=yes");
  }

  @Test
  void theStandardInputIsItsFileOrNothing() throws Exception {
    CommandOrder reading = order(List.of("cat"));
    Files.createDirectories(files(reading.id()).stdin().getParent());
    Files.writeString(files(reading.id()).stdin(), "one\ntwo\n");

    RunningCommand command = start(reading);
    RunningCommand nothing = start("cat");

    assertThat(end(command).exitedWith(0)).isTrue();
    assertThat(output(command)).isEqualTo("one\ntwo\n");
    assertThat(end(nothing).exitedWith(0)).isTrue();
    assertThat(output(nothing)).isEmpty();
  }

  @Test
  void itRunsInItsOwnFolderOrInTheOneThatItsOrderNames() throws Exception {
    Path named = Files.createDirectory(folder.resolve("with blank"));
    CommandOrder elsewhere =
        new CommandOrder(
            nextId(), List.of("pwd"), Map.of(), Optional.of(named), NO_LIMIT, Duration.ZERO);

    RunningCommand own = start("pwd");
    RunningCommand other = start(elsewhere);

    end(own);
    assertThat(Path.of(output(own).strip()).toRealPath()).isEqualTo(files(own).work().toRealPath());
    end(other);
    assertThat(Path.of(output(other).strip()).toRealPath()).isEqualTo(named.toRealPath());
  }

  @Test
  void aMissingProgramFailsToStart() throws Exception {
    assertStartFails(start("/no/such/program"), "/no/such/program");
    assertStartFails(start("no-such-program-anywhere"), "no-such-program-anywhere");
  }

  @Test
  void aFileThatIsNoProgramFailsToStart() throws Exception {
    Path file = Files.writeString(folder.resolve("text"), "no program");

    assertStartFails(start(file.toString()), file.toString());
  }

  @Test
  void aMissingFolderFailsToStart() throws Exception {
    assertStartFails(
        start(
            new CommandOrder(
                nextId(),
                List.of("true"),
                Map.of(),
                Optional.of(Path.of("/no/such/folder")),
                NO_LIMIT,
                Duration.ZERO)),
        "/no/such/folder");
  }

  @Test
  void aVariableThatAShellWouldDropFailsToStart() throws Exception {
    assertStartFails(
        start(order(List.of("true")).withEnvironment(Map.of("not.a.name", "x"))), "not.a.name");
  }

  private void assertStartFails(RunningCommand command, String named) throws Exception {
    CommandEnd end = end(command);
    assertThat(end.kind()).as("%s", end).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(end.reason()).contains(named);
  }

  @Test
  void aStoppedCommandHasItsGraceToEndByItself() throws Exception {
    RunningCommand command =
        startReady(LONG, "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done");

    command.stop(new StopReason("cancelled by alice"));

    CommandEnd end = end(command);
    assertThat(end.kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(end.reason()).isEqualTo("stopped: cancelled by alice");
    assertThat(end.exitCode()).hasValue(5);
    assertThat(output(command)).contains("bye");
  }

  @Test
  void aCommandThatIgnoresItsStopIsKilledAfterItsGrace() throws Exception {
    RunningCommand command =
        startReady(
            Duration.ofMillis(200), "trap '' TERM; echo ready; while :; do sleep 0.05; done");

    command.stop(new StopReason("cancelled by alice"));

    CommandEnd end = end(command);
    assertThat(end.kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(end.signal()).hasValue(9);
  }

  @Test
  void theProcessesThatACommandHasStartedEndWithIt() throws Exception {
    RunningCommand command =
        startReady(
            Duration.ofMillis(200),
            "(trap '' TERM; while :; do sleep 0.05; done) & echo child=$!; echo ready; wait");
    long child =
        Long.parseLong(output(command).lines().findFirst().orElseThrow().replace("child=", ""));
    assertThat(isAlive(child)).isTrue();

    command.stop(new StopReason("cancelled by alice"));

    end(command);
    await("the child has ended", () -> !isAlive(child));
  }

  @Test
  void onlyTheFirstRequestToEndCounts() throws Exception {
    RunningCommand command =
        startReady(Duration.ofMillis(200), "trap '' TERM; echo ready; sleep 60; sleep 60");

    command.stop(new StopReason("first"));
    command.stop(new StopReason("second"));
    command.timeOut(new StopReason("third"));

    assertThat(end(command).reason()).isEqualTo("stopped: first");
  }

  @Test
  void aStopAfterTheEndHasNoEffect() throws Exception {
    RunningCommand command = start("true");
    CommandEnd end = end(command);

    command.stop(new StopReason("too late"));

    assertThat(end(command)).isSameAs(end);
    assertThat(end(start("true")).exitedWith(0)).isTrue();
  }

  @Test
  void aStopRightAfterTheStartIsNotLost() throws Exception {
    List<RunningCommand> commands = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RunningCommand command = start(order(Duration.ofMillis(500), "sleep 60"));
      command.stop(new StopReason("at once"));
      commands.add(command);
    }

    for (RunningCommand command : commands) {
      assertThat(end(command).kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    }
  }

  @Test
  void aTimeLimitOfTheNodeIsReportedAsOne() throws Exception {
    RunningCommand command = startReady(LONG, "echo ready; exec sleep 60");

    command.timeOut(new StopReason("event 7 was not answered within 1s"));

    CommandEnd end = end(command);
    assertThat(end.kind()).isEqualTo(CommandEnd.Kind.TIMED_OUT);
    assertThat(end.reason()).isEqualTo("killed: event 7 was not answered within 1s");
  }

  @Test
  void aTimeLimitEndsTheCommand() throws Exception {
    CommandOrder limited =
        new CommandOrder(
            nextId(),
            List.of("sleep", "60"),
            Map.of(),
            Optional.empty(),
            Duration.ofMillis(300),
            Duration.ofSeconds(5));

    CommandEnd end = end(start(limited));

    assertThat(end.kind()).isEqualTo(CommandEnd.Kind.TIMED_OUT);
    assertThat(end.reason()).contains("limit 300ms");
  }

  @Test
  void manyCommandsAtOnceDoNotMixTheirOutputs() throws Exception {
    List<RunningCommand> commands = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      commands.add(shell("echo begin " + i + "; echo end " + i + "; exit " + i));
    }

    for (int i = 0; i < 40; i++) {
      assertThat(end(commands.get(i)).exitedWith(i)).isTrue();
      assertThat(output(commands.get(i))).isEqualTo("begin %1$d\nend %1$d\n".formatted(i));
    }
  }

  @Test
  void aMemoryLimitIsEnforced() throws Exception {
    assumeThat(open.abilities().enforcesMemory()).as("enforces memory").isTrue();
    CommandOrder limited =
        new CommandOrder(
                nextId(),
                List.of("sh", "-c", "head -c 300m /dev/zero | tail; sleep 60"),
                Map.of(),
                Optional.empty(),
                LONG,
                Duration.ofSeconds(1))
            .withMemoryLimit(50L << 20);

    assertThat(end(start(limited)).kind()).isEqualTo(CommandEnd.Kind.MEMORY_EXCEEDED);
  }

  @Test
  void whatACommandUsedIsKnown() throws Exception {
    assumeThat(open.abilities().measuresUsage()).as("measures usage").isTrue();

    CommandEnd end = end(shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"));

    assertThat(end.usage()).isPresent();
    assertThat(end.usage().get().cpuMillis()).isPositive();
  }

  @Test
  void theNodeCanWriteToTheInputOfARunningCommand() throws Exception {
    assumeThat(open.abilities().pipesInput()).as("pipes input").isTrue();
    CommandOrder piped =
        new CommandOrder(
            nextId(),
            List.of("cat"),
            Map.of(),
            Optional.empty(),
            NO_LIMIT,
            LONG,
            0,
            Optional.empty(),
            Optional.empty(),
            true,
            0,
            Map.of());

    RunningCommand command = start(piped);
    try (OutputStream input = command.input().orElseThrow()) {
      input.write("first\n".getBytes(StandardCharsets.UTF_8));
      input.flush();
      await("it has read the first line", () -> output(command).equals("first\n"));
      input.write("second\n".getBytes(StandardCharsets.UTF_8));
    }

    assertThat(end(command).exitedWith(0)).isTrue();
    assertThat(output(command)).isEqualTo("first\nsecond\n");
  }

  @Test
  void everythingEndsWhenTheNodeSaysSo() throws Exception {
    RunningCommand running =
        startReady(LONG, "trap '' TERM; echo ready; while :; do sleep 0.05; done");
    RunningCommand second = start("sleep", "60");

    open.endAll();

    assertThat(end(running).kind()).isNotEqualTo(CommandEnd.Kind.EXITED);
    assertThat(end(second).kind()).isNotEqualTo(CommandEnd.Kind.EXITED);
  }

  @Test
  void aRestartOfTheNodeTakesOverWhatRuns() throws Exception {
    assumeThat(open.abilities().recovery()).as("recovery").isNotEqualTo(Recovery.NONE);
    Path gate = folder.resolve("gate");
    RunningCommand before =
        startReady(LONG, "echo ready; while [ ! -e '" + gate + "' ]; do sleep 0.05; done; exit 4");
    RunningCommand ended = start("sh", "-c", "exit 6");
    end(ended);

    List<RunningCommand> after = restart(before, ended);

    assertThat(before.ending()).isNotDone();
    assertThat(after)
        .extracting(RunningCommand::id)
        .containsExactlyInAnyOrder(before.id(), ended.id());
    Files.createFile(gate);
    assertThat(end(after, before.id()).exitedWith(4)).isTrue();
    assertThat(end(after, ended.id()).exitedWith(6)).isTrue();
  }

  @Test
  void aCommandThatWasTakenOverCanBeStopped() throws Exception {
    assumeThat(open.abilities().recovery()).as("recovery").isNotEqualTo(Recovery.NONE);
    RunningCommand before = startReady(LONG, "echo ready; exec sleep 60");

    RunningCommand after = restart(before).get(0);
    after.stop(new StopReason("cancelled by alice"));

    assertThat(end(after).reason()).isEqualTo("stopped: cancelled by alice");
  }

  @Test
  void withoutRecoveryCommandsEndWithTheNode() throws Exception {
    assumeThat(open.abilities().recovery()).as("recovery").isEqualTo(Recovery.NONE);
    RunningCommand running = startReady(LONG, "echo $$; echo ready; exec sleep 60");
    long pid = Long.parseLong(output(running).lines().findFirst().orElseThrow());

    open.close();

    await("the process has ended", () -> !isAlive(pid));
    assertThat(running.ending()).isNotDone();
    open = backend().open(context());
    assertThat(end(start("true")).exitedWith(0)).isTrue();
  }

  @Test
  void aClosedBackendStartsNothing() {
    open.close();

    assertThatThrownBy(() -> start("true"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    open = backend().open(context());
  }

  @Test
  void unknownSettingsAreRefused() {
    Map<String, String> wrong = new HashMap<>(settings());
    wrong.put("no-such-setting", "x");

    assertThatThrownBy(() -> backend().open(new Node(folder.resolve("other"), wrong)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION));
  }

  @Test
  void itsNameIsThatOfConfigurations() {
    assertThat(backend().name()).matches("[a-z][a-z0-9-]{0,39}");
  }
}
