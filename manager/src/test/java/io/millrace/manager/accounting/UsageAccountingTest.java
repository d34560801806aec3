package io.millrace.manager.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.insight.UsageReport;
import io.millrace.api.insight.UsageReport.UsageBy;
import io.millrace.api.insight.UsageReport.UsageRow;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.JobBench;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UsageAccountingTest {
  private static final long HOUR = 3_600_000;

  private final JobBench bench = JobBench.withTwoNodes(8);
  private final UsageAccounting accounting = new UsageAccounting(bench.database, bench.claims);

  @BeforeEach
  void watch() {
    bench.ledger.watch(accounting);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void slotTimeProcessorTimeMemoryRunsAndFailuresAreAddedUpByOwner() {
    long job = bench.submit(JobDraft.command("/bin/true").slots(3).spec());
    bench.place();
    end(job, Outcome.FAILED, 2 * HOUR, new Usage(HOUR, 512L << 20, 0, 0));
    long other = bench.submit("task:nightly", JobKind.SUBMITTED, JobBench.command()).get(0);
    bench.place();
    end(other, Outcome.SUCCEEDED, HOUR, null);

    for (boolean folded : new boolean[] {false, true}) {
      if (folded) {
        accounting.run(claim());
      }
      UsageReport owners = report(UsageBy.OWNER);
      assertThat(owners.rows())
          .containsExactly(
              new UsageRow("ann", 1, 1, 7200, 21_600, 3600, 1.0),
              new UsageRow("task:nightly", 1, 0, 3600, 3600, 0, 0));
      assertThat(owners.total()).isEqualTo(new UsageRow("total", 2, 1, 10_800, 25_200, 3600, 1.0));
      assertThat(report(UsageBy.TASK).rows()).extracting(UsageRow::name).containsExactly("nightly");
      assertThat(report(UsageBy.QUEUE).rows()).isEmpty();
    }
  }

  @Test
  void anAttemptCountsOnceHoweverOftenItsEndIsReportedAndTheSumsAreFolded() {
    long worker = bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1")).get(0);
    bench.place();
    AttemptReport report = ended(worker, Outcome.SUCCEEDED, HOUR, null);
    for (int times = 0; times < 3; times++) {
      bench.reports.take(bench.nodeOf(report.attempt()), List.of(report));
      accounting.run(claim());
    }
    assertThat(report(UsageBy.QUEUE).rows())
        .containsExactly(new UsageRow("alert", 1, 0, 3600, 3600, 0, 0));
  }

  @Test
  void queueAndTaskManagersAreNotRunsOfAnyone() {
    long manager =
        bench
            .submit(
                JobKind.MANAGER,
                JobDraft.program("queue-manager").single("queue alert").restart(true).spec())
            .get(0);
    bench.place();
    end(manager, Outcome.FAILED, HOUR, null);
    assertThat(report(UsageBy.OWNER).rows()).isEmpty();
  }

  @Test
  void whatNeverStartedUsedNothing() {
    long job = bench.submit(JobBench.command());
    bench.place();
    bench.ledger.cancel(job, "not wanted");
    AttemptId attempt = new AttemptId(job, 1);
    AttemptReport withdrawn =
        AttemptReport.ended(attempt, AttemptResult.withdrawn("withdrawn"), 0, 0);
    bench.reports.take(bench.nodeOf(attempt), List.of(withdrawn));
    assertThat(report(UsageBy.OWNER).rows()).isEmpty();
  }

  @Test
  void sumsOfOldDaysAreDeletedAndOtherDaysAreLeftOut() {
    long job = bench.submit(JobBench.command());
    bench.place();
    end(job, Outcome.SUCCEEDED, HOUR, null);
    accounting.run(claim());
    move(UsageAccounting.KEPT_DAYS);
    assertThat(report(UsageBy.OWNER).rows()).isEmpty();
    assertThat(accounting.report(UsageBy.OWNER, "400d", null).rows()).hasSize(1);
    move(1);
    accounting.run(claim());
    assertThat(accounting.report(UsageBy.OWNER, "500d", null).rows()).isEmpty();
  }

  @Test
  void aReportSaysFromWhichDayOnFiguresAreKept() {
    UsageReport partly = accounting.report(UsageBy.OWNER, "500d", null);
    LocalDate oldest = LocalDate.parse(partly.to()).minusDays(UsageAccounting.KEPT_DAYS);
    assertThat(List.of(partly.from(), partly.keptFrom()))
        .containsExactly(oldest.toString(), oldest.toString());

    long job = bench.submit(JobBench.command());
    bench.place();
    end(job, Outcome.SUCCEEDED, HOUR, null);
    accounting.run(claim());
    move(UsageAccounting.KEPT_DAYS);
    UsageReport before = accounting.report(UsageBy.OWNER, "2020-01-01", "2020-02-01");
    assertThat(before.rows()).as("the oldest kept day is not part of the period").isEmpty();
    assertThat(List.of(before.from(), before.to())).containsExactly("2020-01-01", "2020-02-01");
  }

  @Test
  void aPeriodIsAnAgeOrDatesAndAnythingElseIsRefused() {
    String today = LocalDate.now(ZoneOffset.UTC).toString();
    UsageReport one = accounting.report(UsageBy.OWNER, "2026-01-01", "2026-01-31");
    assertThat(List.of(one.from(), one.to())).containsExactly("2026-01-01", "2026-01-31");
    assertThat(accounting.report(UsageBy.OWNER, "0s", null).to()).isEqualTo(today);
    for (String wrong : List.of("soon", "2026-13-01", "", "9999999999999d", "x".repeat(100_000))) {
      assertThatThrownBy(() -> accounting.report(UsageBy.OWNER, wrong, null))
          .hasMessageContaining("neither an age such as 7d nor a date")
          .satisfies(refused -> assertThat(refused.getMessage().length()).isLessThan(400));
    }
    assertThatThrownBy(() -> accounting.report(UsageBy.OWNER, "1d", "2d"))
        .hasMessageContaining("is before since");
    assertThatThrownBy(() -> accounting.report(UsageBy.OWNER, "2020-01-02", "2020-01-01"))
        .as("both are older than what is kept")
        .hasMessage("until: 2020-01-01 is before since, 2020-01-02");
  }

  private UsageReport report(UsageBy by) {
    return accounting.report(by, "1d", null);
  }

  private void move(int days) {
    bench.database.transaction(
        handle -> handle.execute("update usage_day set epoch_day = epoch_day - ?", days));
  }

  private Claim claim() {
    return bench.claims.acquireOrRenew("usage", "test", Duration.ofMinutes(1)).orElseThrow();
  }

  private void end(long job, Outcome outcome, long millis, Usage usage) {
    AttemptReport report = ended(job, outcome, millis, usage);
    bench.reports.take(bench.nodeOf(report.attempt()), List.of(report));
  }

  private static AttemptReport ended(long job, Outcome outcome, long millis, Usage usage) {
    AttemptResult result =
        new AttemptResult(
            outcome,
            outcome == Outcome.SUCCEEDED ? 0 : 1,
            null,
            null,
            null,
            0,
            millis,
            usage,
            null,
            null);
    return AttemptReport.ended(new AttemptId(job, 1), result, millis, 0);
  }
}
