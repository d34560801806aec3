package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.insight.ShapeWaitDao.Span;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.placement.PlacementPlan.ShapeVerdict;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShapeWaitsTest {
  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private final WaitBench bench = new WaitBench();
  private final ShapeWaitDao store = new ShapeWaitDao();
  private final ShapeWaits waits = new ShapeWaits(bench.clock, Duration.ofSeconds(2));

  @AfterEach
  void close() {
    bench.close();
  }

  private void hear(int second, ShapeVerdict... verdicts) {
    bench.jobs.database.transaction(
        handle -> {
          waits.accept(handle, "default", List.of(verdicts), START.plusSeconds(second));
          return null;
        });
  }

  private static ShapeVerdict verdict(long shape, WaitCode code) {
    return new ShapeVerdict(
        shape, new ReadyJob(1, START, null, "ann/job"), new WaitReason(code, code + " words"));
  }

  private List<String> spans(long shape) {
    return bench.jobs.database.read(
        handle ->
            store.between(handle, shape, START, START.plusSeconds(9999), 100).stream()
                .map(ShapeWaitsTest::words)
                .toList());
  }

  private static String words(Span span) {
    String until = span.until() == null ? "" : seconds(span.until());
    return span.reason().code() + " " + seconds(span.from()) + "-" + until;
  }

  private static String seconds(Instant at) {
    return Long.toString(Duration.between(START, at).toSeconds());
  }

  @Test
  void a_row_is_written_only_when_the_code_changes() {
    hear(0, verdict(7, WaitCode.NO_SLOT));
    for (int second = 2; second <= 40; second += 2) {
      bench.clock.advance(Duration.ofSeconds(2));
      hear(second, verdict(7, WaitCode.NO_SLOT));
    }
    bench.clock.advance(Duration.ofSeconds(2));
    hear(42, verdict(7, WaitCode.LICENCE));

    assertThat(spans(7)).containsExactly("NO_SLOT 0-42", "LICENCE 42-");
  }

  @Test
  void a_wait_for_a_user_is_recorded_once_by_a_word_that_earlier_versions_read() {
    for (int second = 0; second <= 40; second += 2) {
      bench.clock.advance(Duration.ofSeconds(2));
      hear(second, verdict(7, WaitCode.NO_USER));
    }

    assertThat(spans(7)).containsExactly("NO_MATCH 0-");
  }

  @Test
  void changes_come_no_faster_than_the_interval() {
    hear(0, verdict(7, WaitCode.NO_SLOT));
    bench.clock.advance(Duration.ofSeconds(1));
    hear(1, verdict(7, WaitCode.TURN));
    bench.clock.advance(Duration.ofSeconds(1));
    hear(2, verdict(7, WaitCode.NO_SLOT));

    assertThat(spans(7)).containsExactly("NO_SLOT 0-");
  }

  @Test
  void the_last_observation_of_a_pool_ends_open_waits_at_once() {
    hear(0, verdict(7, WaitCode.NO_SLOT), verdict(8, WaitCode.NO_MATCH));
    hear(1);

    assertThat(spans(7)).containsExactly("NO_SLOT 0-1");
    assertThat(spans(8)).containsExactly("NO_MATCH 0-1");
  }

  @Test
  void a_shape_that_starts_a_job_now_and_then_keeps_one_row() {
    hear(0, verdict(7, WaitCode.NO_SLOT));
    hear(1);
    bench.clock.advance(Duration.ofSeconds(5));
    hear(6, verdict(7, WaitCode.NO_SLOT));

    assertThat(spans(7)).containsExactly("NO_SLOT 0-");
  }

  @Test
  void rows_of_cancelled_jobs_end_and_old_rows_go() {
    bench.employ(JobBench.E1, "e1", 1);
    bench.submit("first");
    bench.place();
    long job = bench.submit("job");
    bench.place();
    long shape =
        bench.jobs.database.read(
            handle -> new WaitFactsDao().find(handle, job).orElseThrow().shape());
    assertThat(current(shape)).isPresent();

    bench.jobs.ledger.cancel(job, "cancelled by ann");
    Claim claim =
        bench.jobs.claims.acquireOrRenew("waits", "test", Duration.ofMinutes(1)).orElseThrow();
    new WaitRetention(bench.jobs.database, bench.jobs.claims, Duration.ofDays(7)).run(claim);
    assertThat(current(shape)).isEmpty();

    new WaitRetention(bench.jobs.database, bench.jobs.claims, Duration.ofDays(-1)).run(claim);
    int rows =
        bench.jobs.database.read(
            handle ->
                handle.createQuery("select count(*) from shape_wait").mapTo(Integer.class).one());
    assertThat(rows).isZero();
  }

  private Optional<WaitReason> current(long shape) {
    return bench.jobs.database.read(handle -> store.current(handle, shape));
  }
}
