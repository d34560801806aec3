package io.millrace.tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link LongHistory} with little history: enough that a scan of any of it is seen. */
@Tag("drill")
class ShortHistoryTest {
  @Test
  void noStatementOfAnyDutyExaminesMoreThanItReturnsOrChanges() throws Exception {
    assertThat(HistoryRun.of(20_000, 75)).isEmpty();
  }
}
