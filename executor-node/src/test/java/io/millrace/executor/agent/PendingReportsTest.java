package io.millrace.executor.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.executor.agent.Reporter.PendingReports;
import io.millrace.executor.agent.Reporter.PendingReports.PendingReport;
import io.millrace.executor.run.CompletedRun;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PendingReportsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final PendingReports reports = new PendingReports();

  @Test
  void keepsTheOrderInWhichAttemptsWereFirstHeardOf() {
    reports.add(started(1));
    reports.add(started(2));
    reports.add(started(3));

    assertThat(reports.first(2)).containsExactly(started(1), started(2));
  }

  @Test
  void leavesOutAStartThatWasNotSentBeforeTheEnd() {
    reports.add(started(1));
    reports.add(ended(1));

    assertThat(reports.first(10)).containsExactly(ended(1));
  }

  @Test
  void keepsAnEndThatCameWhileTheStartWasUnderWay() {
    reports.add(started(1));
    PendingReport sent = reports.first(10).get(0);
    reports.add(ended(1));

    reports.remove(sent);

    assertThat(reports.first(10)).containsExactly(ended(1));
  }

  @Test
  void knowsWhetherAnEndIsAmongThem() {
    assertThat(reports.onlyStarts()).isFalse();

    reports.add(started(1));
    reports.add(started(2));
    assertThat(reports.onlyStarts()).isTrue();

    reports.add(ended(2));
    assertThat(reports.onlyStarts()).isFalse();
  }

  @Test
  void letsOthersGoBeforeOneThatIsNotTaken() {
    reports.add(started(1));
    reports.add(started(2));

    reports.putLast(started(1));

    assertThat(reports.first(10)).containsExactly(started(2), started(1));
  }

  @Test
  void datesAReportWhenItIsSentAndNeverBelowZero() {
    PendingReport report = ended(1);

    assertThat(report.at(NOW.plusSeconds(60)).endedAgoMillis()).isEqualTo(60_000);
    assertThat(report.at(NOW.plusSeconds(60)).startedAgoMillis()).isEqualTo(65_000);
    assertThat(report.at(NOW.plusSeconds(60)).result().runMillis()).isEqualTo(5_000);
    assertThat(report.at(NOW.minusSeconds(60)).endedAgoMillis()).isZero();
  }

  private static PendingReport started(int job) {
    return new PendingReport.Started(new AttemptId(job, 1), NOW);
  }

  private static PendingReport ended(int job) {
    return new PendingReport.Ended(
        new CompletedRun(
            new AttemptId(job, 1),
            JobKind.SUBMITTED,
            AttemptResult.of(Outcome.SUCCEEDED, null),
            NOW.minusSeconds(5),
            NOW,
            null,
            null));
  }
}
