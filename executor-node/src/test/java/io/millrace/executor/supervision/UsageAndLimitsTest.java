package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.AttemptRecords.Intent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class UsageAndLimitsTest {
  private static final long MEBIBYTE = 1 << 20;
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
  void theProcessorTimeOfAVeryShortRunIsKnownFromTheSupervisingShell() throws Exception {
    CommandEnd ending =
        ending(fixture.start("awk", "BEGIN { for (i = 0; i < 3000000; i++) n += i; print n }"));
    assertThat(ending.usage()).hasValueSatisfying(u -> assertThat(u.cpuMillis()).isPositive());
  }

  @Test
  void theMostMemoryOfAllProcessesAtOneTimeIsKept() throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(
            NO_TIMEOUT,
            LONG,
            hold("1") + hold("2") + "echo ready; until [ -e go ]; do sleep 0.05; done");
    awaitKept(process, usage -> usage.memoryBytes() > 115 * MEBIBYTE);
    Files.createFile(fixture.supervisor().directory(process.id()).work().resolve("go"));

    Usage usage = ending(process).usage().orElseThrow();

    assertThat(usage.memoryBytes()).isBetween(115 * MEBIBYTE, 200 * MEBIBYTE);
  }

  @Test
  void processesInOtherSessionsAreCountedByTheMarkInTheirEnvironment() throws Exception {
    SupervisedProcess process =
        fixture.startAndAwaitReady(
            NO_TIMEOUT, LONG, "setsid sh -c '" + hold("1") + " wait' & echo ready; sleep 1000");
    awaitKept(process, usage -> usage.memoryBytes() > 57 * MEBIBYTE);
  }

  @Test
  void bytesWrittenToStorageAreCounted() throws Exception {
    SupervisedProcess process =
        fixture.start("sh", "-c", "dd if=/dev/zero of=f bs=1M count=8 conv=fsync; sleep 1000");
    awaitKept(process, usage -> usage.writtenBytes() >= 8 * MEBIBYTE);
  }

  @Test
  void usageSurvivesARestartOfTheAgent() throws Exception {
    SupervisedProcess before =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, hold("1") + "echo ready; wait");
    awaitKept(before, usage -> usage.memoryBytes() > 57 * MEBIBYTE);
    fixture.supervisor().close();
    new ProcessBuilder("kill", "-s", "KILL", "--", "-" + before.pid().orElseThrow())
        .start()
        .waitFor();
    await().atMost(LONG).until(() -> !fixture.hasFamily(before));

    Recovered recovered = fixture.restartAgent().recover().get(0);

    assertThat(((Recovered.Lost) recovered).ending().usage())
        .hasValueSatisfying(u -> assertThat(u.memoryBytes()).isGreaterThan(57 * MEBIBYTE));
  }

  @Test
  void aTreeAboveItsMemoryLimitIsKilledAndReportedWithItsFigures() throws Exception {
    SupervisedProcess process =
        fixture.supervisor().start(limited(40 * MEBIBYTE, hold("1") + "wait"));

    CommandEnd ending = ending(process);

    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.MEMORY_EXCEEDED);
    assertThat(ending.reason()).matches("killed: memory 40MB, used (4\\d|5\\d|6\\d|7\\d)MB");
    assertThat(fixture.hasFamily(process)).isFalse();
  }

  @Test
  void aTreeWithinItsLimitIsLeftAlone() throws Exception {
    SupervisedProcess process =
        fixture.supervisor().start(limited(200 * MEBIBYTE, hold("1") + "wait"));
    awaitKept(process, usage -> usage.memoryBytes() > 57 * MEBIBYTE);
    assertThat(process.ending()).isNotDone();
  }

  @Test
  void aKillForMemoryIsReportedAsSuchByTheNextAgent() throws Exception {
    SupervisedProcess before =
        fixture.startAndAwaitReady(NO_TIMEOUT, LONG, "echo ready; sleep 100");
    AttemptRecords records = new AttemptRecords(fixture.supervisor().directory(before.id()));
    fixture.supervisor().close();
    records.writeIntent(Intent.memoryExceeded(40 * MEBIBYTE, 41 * MEBIBYTE));

    Supervisor next = fixture.restartAgent();
    SupervisedProcess process = ((Recovered.Alive) next.recover().get(0)).process();
    process.stop(new StopReason("cancelled by alice"));

    CommandEnd ending = ending(process);
    assertThat(ending.kind()).isEqualTo(CommandEnd.Kind.MEMORY_EXCEEDED);
    assertThat(ending.reason()).isEqualTo("killed: memory 40MB, used 41MB");
  }

  @Test
  void processesThatEscapedFromAnEndedAttemptAreKilled() throws Exception {
    fixture.supervisor().recover();
    SupervisedProcess process =
        fixture.startAndAwaitReady(
            NO_TIMEOUT, LONG, "setsid sleep 1000 & echo escaped=$!; echo ready");
    long escaped = fixture.printed(process, "escaped");
    ending(process);
    await().atMost(LONG).until(() -> !fixture.isAlive(escaped));
  }

  private CommandOrder limited(long bytes, String script) {
    return new CommandOrder(
            fixture.nextId(),
            List.of("sh", "-c", script),
            Map.of(),
            Optional.empty(),
            NO_TIMEOUT,
            LONG)
        .withMemoryLimit(bytes);
  }

  private void awaitKept(SupervisedProcess process, Predicate<Usage> expected) {
    AttemptRecords records = new AttemptRecords(fixture.supervisor().directory(process.id()));
    await().atMost(LONG).until(() -> records.usage().filter(expected).isPresent());
  }

  // Fills a buffer of 60 MB and can't get rid of it: nobody reads the pipe.
  private static String hold(String name) {
    return String.format(
        "mkfifo p%1$s; sleep 1000 < p%1$s & dd if=/dev/zero of=p%1$s bs=60M count=1 & ", name);
  }
}
