package io.millrace.tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The duties of a central manager with five million ended jobs and fifteen million lines of
 * history. Not part of an ordinary build, because it takes a quarter of an hour and about 10 GB:
 *
 * <pre>
 * mvn package -Dtest=LongHistory -Dsurefire.failIfNoSpecifiedTests=false -Dhistory.jobs=5000000
 * </pre>
 */
class LongHistory {
  private static final long JOBS = Long.getLong("history.jobs", 5_000_000);
  private static final long SECONDS = Long.getLong("history.seconds", 150);

  @Test
  void noStatementExaminesManyMoreRowsThanItReturnsOrChanges() throws Exception {
    HistoryRun run = HistoryRun.of(JOBS, SECONDS);
    assertThat(run.notPruned()).as("tables from which no duty deleted rows").isEmpty();
    assertThat(run.tooMany()).isEmpty();
  }
}
