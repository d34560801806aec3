package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class StraysTest {

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
  void aProcessThatLeftItsSessionIsFoundAfterItsAttemptEnded() throws Exception {
    SupervisedProcess process =
        fixture.start(
            "sh",
            "-c",
            "setsid sh -c 'echo child=$$; : > up; exec sleep 1000' &"
                + " until [ -e up ]; do sleep 0.02; done");
    ending(process);
    long child = fixture.printed(process, "child");
    assertThat(fixture.isAlive(child)).isTrue();

    assertThat(fixture.supervisor().sweepStrays(Set.of())).isEqualTo(1);

    assertThat(fixture.isAlive(child)).isFalse();
    assertThat(fixture.supervisor().sweepStrays(Set.of())).isZero();
  }

  @Test
  void ownAndKnownProcessesAreSpared() throws Exception {
    SupervisedProcess running =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo ready; sleep 1000");
    Process known = marked(fixture.node, "55.1");
    try {
      assertThat(fixture.supervisor().sweepStrays(Set.of(new AttemptId(55, 1)))).isZero();
      assertThat(known.isAlive()).isTrue();
      assertThat(running.ending()).isNotDone();
    } finally {
      known.destroyForcibly();
    }
  }

  @Test
  void processesOfAnotherNodeAreSpared() throws Exception {
    Process foreign = marked(UUID.randomUUID(), "55.1");
    try {
      assertThat(fixture.supervisor().sweepStrays(Set.of())).isZero();
      assertThat(foreign.isAlive()).isTrue();
    } finally {
      foreign.destroyForcibly();
    }
  }

  @Test
  void processesOfACopyOfTheNodeInAnotherDirectoryAreSpared() throws Exception {
    Supervisor copy = fixture.copyOfTheNode();
    SupervisedProcess running =
        fixture.startAndAwaitReady(
            NO_TIMEOUT, LONG, "setsid sleep 1000 & echo child=$!; echo ready; wait");
    try (copy) {
      assertThat(copy.sweepStrays(Set.of())).isZero();
      assertThat(fixture.isAlive(fixture.printed(running, "child"))).isTrue();
      assertThat(running.ending()).isNotDone();
    }
  }

  @Test
  void processesThatAnEarlierVersionStartedAreFoundWithoutTheMarkOfTheirDirectory()
      throws Exception {
    Process left = marked(fixture.node, "55.1");
    assertThat(fixture.supervisor().sweepStrays(Set.of())).isEqualTo(1);
    left.onExit().get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  // Shown by /proc only once the child has replaced the JVM's image, hence the wait.
  private Process marked(UUID node, String attempt) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("setsid", "sleep", "1000");
    builder
        .environment()
        .putAll(Map.of("MILLRACE_NODE", node.toString(), "MILLRACE_ATTEMPT", attempt));
    Process process = builder.start();
    AttemptMarks marks = AttemptMarks.of(node, fixture.attempts());
    await().atMost(LONG).until(() -> fixture.table().attemptOf(process.pid(), marks).isPresent());
    return process;
  }
}
