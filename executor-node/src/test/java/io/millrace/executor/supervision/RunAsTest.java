package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.execution.RunningCommand.StopReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Only where the tests run as root, as becoming another user is then possible. */
@EnabledIf("machineCanBecomeAnotherUser")
class RunAsTest {
  private static final RunAs SOMEBODY = new RunAs("nobody", 65_534, 65_534);

  @TempDir private Path directory;
  private SupervisionFixture fixture;

  static boolean machineCanBecomeAnotherUser() {
    return SupervisionFixture.machineCanSupervise()
        && System.getProperty("user.name").equals("root")
        && Files.isExecutable(Path.of("/usr/bin/setpriv"));
  }

  @BeforeEach
  void open() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    fixture = new SupervisionFixture(directory);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theCommandHasTheRightsTheDirectoryAndTheVariablesOfItsUser() throws Exception {
    SupervisedProcess process =
        start(
            Map.of("GREETING", "it's \"me\"\n$HOME"),
            Optional.empty(),
            "id -u; id -g; pwd; echo \"$GREETING\"; touch mine; ls -A; exit 3");

    assertThat(ending(process).exitCode()).hasValue(3);
    Path work = fixture.supervisor().directory(process.id()).work();
    assertThat(fixture.output(process))
        .isEqualTo("65534\n65534\n" + work + "\nit's \"me\"\n$HOME\nmine\n");
    assertThat(fixture.errors(process)).isEmpty();
  }

  @Test
  void theRecordsOfSupervisionAreOutOfItsReach() throws Exception {
    SupervisedProcess process =
        start(
            Map.of(),
            Optional.empty(),
            "cat ../supervisor; echo x > ../exit; rm -f ../launch; touch ../stopping; exit 4");

    CommandEnd ending = ending(process);

    assertThat(ending.exitCode()).hasValue(4);
    AttemptDirectory attempt = fixture.supervisor().directory(process.id());
    assertThat(attempt.launchRecord()).exists();
    assertThat(attempt.stoppingRecord()).doesNotExist();
    assertThat(fixture.output(process)).isEmpty();
  }

  @Test
  void aDirectoryThatTheUserMayNotEnterIsAFailedStart() throws Exception {
    Path closed = Files.createDirectory(directory.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));

    CommandEnd ending = ending(start(Map.of(), Optional.of(closed), "echo here"));

    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(ending.reason()).contains("could not start").contains(closed.toString());
  }

  @Test
  void noVariableOfTheJobReachesAProgramThatHasTheRightsOfTheAgent() throws Exception {
    SupervisedProcess process =
        start(
            Map.of("PATH", "/nowhere", "LD_PRELOAD", "/no/such/library", "IFS", "x"),
            Optional.empty(),
            "echo $PATH");

    assertThat(ending(process).exitCode()).hasValue(0);
    // The loader complains in the user's own program, and before that in no other.
    assertThat(fixture.output(process)).isEqualTo("/nowhere\n");
    assertThat(fixture.errors(process).lines().filter(line -> line.contains("LD_PRELOAD")))
        .hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void noProgramOfTheCommandCanGetOtherRights() throws Exception {
    SupervisedProcess process =
        start(Map.of(), Optional.empty(), "grep NoNewPrivs /proc/self/status");
    assertThat(ending(process).exitCode()).hasValue(0);
    assertThat(fixture.output(process)).isEqualTo("NoNewPrivs:\t1\n");
  }

  @Test
  void anAttemptOfAnotherUserIsStoppedAsAnyOther() throws Exception {
    SupervisedProcess process =
        start(Map.of(), Optional.empty(), "trap 'exit 5' TERM; while :; do sleep 0.02; done");
    process.stop(new StopReason("cancelled by alice"));
    assertThat(ending(process).kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(fixture.hasFamily(process)).isFalse();
  }

  @Test
  void nobodyRunsAsRoot() {
    assertThatThrownBy(() -> new RunAs("toor", 0, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  private SupervisedProcess start(
      Map<String, String> environment, Optional<Path> workingDirectory, String script) {
    return fixture
        .supervisor()
        .start(
            new CommandOrder(
                    fixture.nextId(),
                    List.of("/bin/sh", "-c", script),
                    environment,
                    workingDirectory,
                    NO_TIMEOUT,
                    LONG)
                .withRunAs(Optional.of(SOMEBODY)));
  }
}
