package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import org.junit.jupiter.api.Test;

class ProcessEntryTest {

  private static final String REST =
      " S 1 4711 4700 0 -1 4194560 88 0 0 0 0 0 0 0 20 0 1 0 987654 2465792 227\n";

  @Test
  void aLineOfStatIsRead() {
    assertThat(ProcessEntry.parse("4712 (sleep)" + REST))
        .contains(new ProcessEntry(4712, 'S', 4711, 4700, 987654));
  }

  @Test
  void aNameMayHoldBlanksParenthesesAndLineEnds() {
    assertThat(ProcessEntry.parse("4712 (a) R 1 2 3\n(b))" + REST))
        .contains(new ProcessEntry(4712, 'S', 4711, 4700, 987654));
  }

  @Test
  void anInvalidStatLineIsNotAProcess() {
    assertThat(ProcessEntry.parse("")).isEmpty();
    assertThat(ProcessEntry.parse("4712 (sleep) S 1")).isEmpty();
    assertThat(ProcessEntry.parse("x (sleep)" + REST)).isEmpty();
  }

  @Test
  void aZombieIsNotAlive() {
    assertThat(new ProcessEntry(1, 'Z', 1, 1, 1).isAlive()).isFalse();
    assertThat(new ProcessEntry(1, 'D', 1, 1, 1).isAlive()).isTrue();
  }
}
