package io.millrace.tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link LongHistory} with little history: enough to detect a scan of any table. */
@Tag("drill")
class ShortHistoryTest {
  @Test
  void noStatementExaminesManyMoreRowsThanItReturnsOrChanges() throws Exception {
    HistoryRun run = HistoryRun.of(20_000, 75);
    assertThat(run.notPruned()).as("tables from which no duty deleted rows").isEmpty();
    assertThat(run.tooMany()).isEmpty();
  }
}
