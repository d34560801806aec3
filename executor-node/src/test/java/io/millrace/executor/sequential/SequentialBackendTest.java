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
}
