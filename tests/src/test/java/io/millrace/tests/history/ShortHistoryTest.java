package io.millrace.tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link LongHistory} with little history: enough that a scan of any of it is seen. */
@Tag("drill")
class ShortHistoryTest {
  @Test
  void noStatementExaminesManyMoreRowsThanItReturnsOrChanges() throws Exception {
    HistoryRun run = HistoryRun.of(20_000, 75);
    assertThat(run.notPruned()).as("tables that no duty deleted anything of").isEmpty();
    assertThat(run.tooMany()).isEmpty();
  }
}
