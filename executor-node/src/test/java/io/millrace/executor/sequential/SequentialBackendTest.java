package io.millrace.executor.sequential;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.executor.backend.ExecutionBackendContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SequentialBackendTest extends ExecutionBackendContract {
  @TempDir Path shared;

  @Override
  protected ExecutionBackend backend() {
    return new SequentialBackend();
  }

  @Test
  void oneCommandRunsAtATimeInTheOrderGiven() throws Exception {
    Path journal = Files.createFile(shared.resolve("journal"));
    List<RunningCommand> commands = new ArrayList<>();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      commands.add(
          shell(
              "echo begin %1$d >> '%2$s'; sleep 0.02; echo end %1$d >> '%2$s'"
                  .formatted(i, journal)));
      expected.append("begin %1$d\nend %1$d\n".formatted(i));
    }

    for (RunningCommand command : commands) {
      assertThat(end(command).exitedWith(0)).isTrue();
    }

    assertThat(journal).hasContent(expected.toString());
  }

  @Test
  void oneThatWaitsForItsTurnHasNotStartedAndNeverBeginsOnceStopped() throws Exception {
    Path gate = shared.resolve("gate");
    RunningCommand first = shell("while [ ! -e '" + gate + "' ]; do sleep 0.02; done");
    RunningCommand second = shell("echo ran");

    second.stop(new StopReason("cancelled by alice"));

    assertThat(end(second).kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    assertThat(first.ending()).isNotDone();
    Files.createFile(gate);
    assertThat(end(first).exitedWith(0)).isTrue();
    assertThat(end(shell("true")).exitedWith(0)).isTrue();
    assertThat(second.started()).isNotDone();
    assertThat(output(second)).isEmpty();
  }

  @Test
  void anUnexpectedFailureOfOneCommandDoesNotKeepTheNextFromRunning() throws Exception {
    RunningCommand broken = opened().start(order(List.of("true")), null);

    assertThat(end(broken).kind()).isEqualTo(CommandEnd.Kind.START_FAILED);
    assertThat(end(broken).reason()).contains("NullPointerException", "log of this node");
    assertThat(end(shell("true")).exitedWith(0)).isTrue();
  }

  /** Whether it waits, has just got its turn, or runs. */
  @Test
  void everyCommandIsEndedWithAll() throws Exception {
    for (int round = 0; round < 200; round++) {
      RunningCommand command = shell("exec sleep 600");
      opened().endAll();

      assertThat(end(command).kind()).isEqualTo(CommandEnd.Kind.STOPPED);
    }
  }

  /** As if the node had been killed: the next one ends the process that it finds remembered. */
  @Test
  void aProcessThatAKilledNodeHasLeftIsEnded() throws Exception {
    Process left = new ProcessBuilder("sleep", "60").start();
    LastProcess last = new LastProcess(shared.resolve("run/sequential"));
    last.remember(left);

    last.end();

    assertThat(left.waitFor()).isEqualTo(137);
    assertThat(shared.resolve("run/sequential")).doesNotExist();
  }

  @Test
  void anotherProcessWithTheSameNumberIsSpared() throws Exception {
    Process other = new ProcessBuilder("sleep", "60").start();
    Path file = shared.resolve("sequential");
    Files.writeString(file, other.pid() + " 2001-01-01T00:00:00Z\n");
    try {
      new LastProcess(file).end();

      assertThat(other.isAlive()).isTrue();
      assertThat(file).doesNotExist();
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void aFileThatNamesNoProcessIsDeleted() throws Exception {
    Path file = shared.resolve("sequential");
    for (String text :
        List.of("", "\n", "123", "abc 2001-01-01T00:00:00Z", "9".repeat(40) + " x")) {
      Files.writeString(file, text);

      new LastProcess(file).end();

      assertThat(file).as(text).doesNotExist();
    }
    Files.write(file, new byte[] {(byte) 0xff, 0, (byte) 0xfe});

    new LastProcess(file).end();

    assertThat(file).doesNotExist();
  }

  /** The file of the process before must never be seen half written. */
  @Test
  void rememberingReplacesTheFileAsAWhole() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    Path file = shared.resolve("sequential");
    Path before = shared.resolve("before");
    Files.writeString(file, "1 2001-01-01T00:00:00Z\n");
    Files.createLink(before, file);
    try {
      new LastProcess(file).remember(process);

      assertThat(file).content().startsWith(process.pid() + " ");
      assertThat(before).as("it is another file").hasContent("1 2001-01-01T00:00:00Z\n");
    } finally {
      process.destroyForcibly();
    }
  }
}
