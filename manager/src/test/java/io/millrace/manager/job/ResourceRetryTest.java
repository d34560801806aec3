package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.DataSize;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.job.ResourceAdjustment.AdjustmentKind;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.placement.Shape;
import io.millrace.platform.claim.Claim;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that exceed their memory or time limit are retried with more of it (J-12, J-13). */
class ResourceRetryTest {
  private static final long GB = 1L << 30;

  private final JobBench bench = new JobBench(Heartbeat.defaults());

  @AfterEach
  void close() {
    bench.close();
  }

  private void node(UUID id, String name, long memory, String pool) {
    bench.register(
        new NodeRegistration(
            id,
            name,
            URI.create("http://127.0.0.1:1"),
            new NodeCapacity(8, 8, memory, null, false),
            List.of(pool),
            Map.of(),
            null,
            List.of()));
  }

  private static JobDraft job(double factor, String... fallback) {
    return JobDraft.command("/bin/true")
        .memory("2GB")
        .timeout(Duration.ofHours(1))
        .retry(
            RetryPolicy.upTo(3, Duration.ZERO, Duration.ZERO)
                .scaled(ResourceScale.by(factor), List.of(fallback)));
  }

  private void place(String pool) {
    Claim claim =
        bench
            .claims
            .acquireOrRenew("dispatch:" + pool, "test", Duration.ofMinutes(1))
            .orElseThrow();
    bench.dispatch.run(claim, pool, true);
  }

  private void fail(AttemptId attempt, Outcome outcome) {
    assertThat(bench.end(attempt, outcome, null)).isEmpty();
  }

  @Test
  void theNextAttemptBooksAndGetsTheMemoryThatWasAdjusted() {
    node(JobBench.E1, "e1", 16 * GB, "default");
    JobSpec spec = job(1.5).spec();
    long id = bench.submit(spec);
    bench.place();

    fail(new AttemptId(id, 1), Outcome.MEMORY_EXCEEDED);

    JobDetails waiting = bench.queries.details(id);
    assertThat(waiting.job().state()).isEqualTo(JobState.WAITING);
    assertThat(waiting.job().reason())
        .isEqualTo(
            "stopped at its memory limit; retry 1 of 3 after 0s;"
                + " memory 2GB -> 3GB because it was exceeded");
    assertThat(waiting.history())
        .extracting(JobEvent::words)
        .anyMatch(line -> line.endsWith("memory 2GB -> 3GB because it was exceeded"));
    assertThat(waiting.spec()).isEqualTo(spec.draft().memory("3GB").spec());
    assertThat(facts(id).memoryBytes()).isEqualTo(3 * GB);
    assertThat(shape(id).memoryBytes()).isEqualTo(3 * GB);
    assertThat(shape(id).share()).isEqualTo("ann");

    bench.place();
    assertThat(booked(id)).isEqualTo(3 * GB);
    fail(new AttemptId(id, 2), Outcome.TIMED_OUT);
    bench.place();
    bench.end(new AttemptId(id, 3), Outcome.SUCCEEDED, 0);

    JobDetails ended = bench.queries.details(id);
    assertThat(ended.job().state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(ended.adjustments())
        .extracting(
            ResourceAdjustment::kind,
            ResourceAdjustment::attempt,
            ResourceAdjustment::memory,
            ResourceAdjustment::timeout,
            ResourceAdjustment::reason)
        .containsExactly(
            row(AdjustmentKind.ORIGINAL, 1, "2GB", Duration.ofHours(1), null),
            row(
                AdjustmentKind.ADJUSTED,
                2,
                "3GB",
                Duration.ofHours(1),
                "memory 2GB -> 3GB because it was exceeded"),
            row(
                AdjustmentKind.ADJUSTED,
                3,
                "3GB",
                Duration.ofMinutes(90),
                "timeout 1h -> 1h30m because it was exceeded"));
  }

  private static Tuple row(
      AdjustmentKind kind, int attempt, String memory, Duration timeout, String reason) {
    return tuple(kind, attempt, DataSize.parse(memory), timeout, reason);
  }

  private JobFacts facts(long id) {
    return bench
        .database
        .<List<JobFacts>, RuntimeException>read(handle -> new JobDao().read(handle, List.of(id)))
        .get(0);
  }

  private Shape shape(long id) {
    long shape = facts(id).shapeId();
    return bench
        .database
        .<Map<Long, Shape>, RuntimeException>read(
            handle -> bench.shapes.find(handle, List.of(shape)))
        .get(shape);
  }

  private long booked(long id) {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select memory_bytes from booking where job_id = :id")
                .bind("id", id)
                .mapTo(Long.class)
                .one());
  }

  @Test
  void whatItsPoolDoesNotHaveIsTakenFromAFallbackPoolAndThereAtMostWhatItHas() {
    node(JobBench.E1, "e1", 2 * GB, "default");
    node(JobBench.E2, "e2", 5 * GB, "large");
    long id = bench.submit(job(2, "large").spec());
    bench.place();

    fail(new AttemptId(id, 1), Outcome.MEMORY_EXCEEDED);

    assertThat(bench.queries.view(id).pool()).isEqualTo("large");
    assertThat(bench.queries.details(id).spec().pool()).isEqualTo("large");
    bench.place();
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    place("large");
    assertThat(bench.queries.view(id).node()).isEqualTo("e2");
    assertThat(booked(id)).isEqualTo(4 * GB);

    fail(new AttemptId(id, 2), Outcome.MEMORY_EXCEEDED);
    assertThat(bench.queries.view(id).reason())
        .endsWith(
            "memory 4GB -> 5GB in pool large, the most of its nodes, because it was exceeded");
    place("large");
    assertThat(booked(id)).isEqualTo(5 * GB);

    fail(new AttemptId(id, 3), Outcome.MEMORY_EXCEEDED);
    assertThat(bench.queries.view(id).reason())
        .endsWith("memory 5GB was exceeded, and no node of pool large has more");
    assertThat(bench.queries.details(id).adjustments()).hasSize(3);
  }

  @Test
  void anElementOfAnArrayGrowsAndTheOthersStayAsTheyAre() {
    node(JobBench.E1, "e1", 64 * GB, "default");
    long array = bench.submit(job(1.5).array(new ArrayRange(0, 2, 1, 0)).spec());
    bench.place();
    List<AttemptId> attempts = bench.recorded(JobBench.E1);
    assertThat(attempts).hasSize(3);
    AttemptId first = attempts.get(0);

    fail(first, Outcome.MEMORY_EXCEEDED);
    attempts.subList(1, 3).forEach(one -> bench.end(one, Outcome.SUCCEEDED, 0));
    bench.place();
    bench.end(new AttemptId(first.job(), 2), Outcome.SUCCEEDED, 0);
    bench.arrays.reconciler().run();

    assertThat(bench.state(array)).isEqualTo(JobState.SUCCEEDED);
    assertThat(bench.queries.details(first.job()).spec().memory()).hasToString("3GB");
    assertThat(bench.queries.details(attempts.get(1).job()).spec().memory()).hasToString("2GB");
    assertThat(bench.queries.details(attempts.get(1).job()).adjustments()).isNull();
    assertThat(bench.queries.details(array).spec().memory()).hasToString("2GB");
  }

  @Test
  void withoutAScaleAfterOtherFailuresAndAfterTheLastRetryNothingIsAdjusted() {
    node(JobBench.E1, "e1", 16 * GB, "default");
    long plain =
        bench.submit(job(2).retry(RetryPolicy.upTo(3, Duration.ZERO, Duration.ZERO)).spec());
    long other = bench.submit(job(2).spec());
    long last =
        bench.submit(
            job(2)
                .retry(
                    new RetryPolicy(1, Duration.ZERO, Duration.ZERO, Set.of(), null, null)
                        .scaled(ResourceScale.by(2), null))
                .spec());
    bench.place();

    fail(new AttemptId(plain, 1), Outcome.MEMORY_EXCEEDED);
    fail(new AttemptId(other, 1), Outcome.FAILED);
    fail(new AttemptId(last, 1), Outcome.MEMORY_EXCEEDED);

    assertThat(bench.state(last)).isEqualTo(JobState.FAILED);
    for (long id : List.of(plain, other, last)) {
      assertThat(bench.queries.details(id).adjustments()).isNull();
      assertThat(bench.queries.details(id).spec().memory()).hasToString("2GB");
    }
  }

  @Test
  void aJobThatWasCancelledOrWhoseDeadlineHasPassedIsNotAdjusted() {
    node(JobBench.E1, "e1", 16 * GB, "default");
    long cancelled = bench.submit(job(2).spec());
    long late = bench.submit(job(2).deadline(bench.database.now().plusSeconds(3600)).spec());
    bench.place();
    bench.start(new AttemptId(cancelled, 1));
    bench.ledger.cancel(cancelled, "cancelled by ann");
    bench.database.transaction(
        handle ->
            handle
                .createUpdate("update job set deadline = submitted_at where id = :id")
                .bind("id", late)
                .execute());

    fail(new AttemptId(cancelled, 1), Outcome.MEMORY_EXCEEDED);
    fail(new AttemptId(late, 1), Outcome.TIMED_OUT);

    assertThat(bench.state(cancelled)).isEqualTo(JobState.CANCELLED);
    assertThat(bench.state(late)).isEqualTo(JobState.FAILED);
    assertThat(bench.queries.details(cancelled).adjustments()).isNull();
    assertThat(bench.queries.details(late).adjustments()).isNull();
  }

  @Test
  void aDrainedNodeStillBoundsTheMemoryOfItsPool() {
    node(JobBench.E1, "e1", 5 * GB, "default");
    long id = bench.submit(job(4).spec());
    bench.place();
    bench.database.transaction(handle -> handle.execute("update node set duty = 'DRAINING'"));

    fail(new AttemptId(id, 1), Outcome.MEMORY_EXCEEDED);

    assertThat(bench.queries.details(id).spec().memory()).hasToString("5GB");
  }

  @Test
  void adjustmentsAreDeletedWithTheirJob() {
    node(JobBench.E1, "e1", 16 * GB, "default");
    long id = bench.submit(job(2).spec());
    bench.place();
    fail(new AttemptId(id, 1), Outcome.MEMORY_EXCEEDED);
    bench.place();
    bench.end(new AttemptId(id, 2), Outcome.SUCCEEDED, 0);

    int deleted =
        bench.database.transaction(handle -> new JobRetentionDao().delete(handle, List.of(id)));

    assertThat(deleted).isEqualTo(1);
    assertThat(
            bench.database.<Integer, RuntimeException>read(
                handle ->
                    handle
                        .createQuery("select count(*) from resource_adjustment")
                        .mapTo(Integer.class)
                        .one()))
        .isZero();
  }
}
