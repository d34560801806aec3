package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.node.Heartbeat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Submissions, starts, ends and cancellations at once: lanes keep their order all the same. */
class LaneConcurrencyTest {
  private static final int SUBMITTERS = 2;
  private static final int JOBS_EACH = 60;
  private static final List<String> LANES = List.of("a", "b", "c");

  // Nobody polls here, and the nodes must not fall silent, however slow the machine is.
  private final JobBench bench =
      new JobBench(new Heartbeat(Duration.ofMinutes(1), Duration.ofHours(1)));
  private final ExecutorService threads = Executors.newFixedThreadPool(6);
  private final AtomicInteger submitting = new AtomicInteger(SUBMITTERS);

  /** A change of a job in a lane, in the order of the changes. */
  private record Change(long job, String lane, JobState state) {}

  @AfterEach
  void close() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    bench.close();
  }

  @Test
  void twoJobsOfALaneAreNeverLiveAtOnceAndTheirOrderHolds() throws Exception {
    bench.employ(JobBench.E1, "e1", 8);
    bench.employ(JobBench.E2, "e2", 8);
    long seed = System.nanoTime();
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < SUBMITTERS; i++) {
      Random random = new Random(seed + i);
      all.add(threads.submit(task(() -> submitAll(random))));
    }
    all.add(threads.submit(task(this::placeAll)));
    all.add(threads.submit(task(() -> endAll(JobBench.E1, new Random(seed + 10)))));
    all.add(threads.submit(task(() -> endAll(JobBench.E2, new Random(seed + 11)))));
    all.add(threads.submit(task(() -> cancelSome(new Random(seed + 12)))));
    for (Future<Void> one : all) {
      one.get(120, TimeUnit.SECONDS);
    }
    Map<String, List<Change>> byLane = new TreeMap<>();
    changes().forEach(one -> byLane.computeIfAbsent(one.lane(), x -> new ArrayList<>()).add(one));
    assertThat(byLane.keySet()).containsExactlyElementsOf(LANES);
    byLane.forEach((lane, changes) -> assertOneAtATimeInOrder("seed " + seed, changes));
  }

  private static void assertOneAtATimeInOrder(String seed, List<Change> changes) {
    long live = 0;
    long latest = 0;
    for (Change change : changes) {
      if (change.state() == JobState.PLACED) {
        assertThat(live).as("live when %s started, %s", change, seed).isZero();
        assertThat(change.job()).as("order, %s", seed).isGreaterThanOrEqualTo(latest);
        live = change.job();
        latest = change.job();
      } else if (change.job() == live && !change.state().live()) {
        live = 0;
      }
    }
    assertThat(live).isZero();
  }

  private void submitAll(Random random) {
    RetryPolicy atOnce = RetryPolicy.upTo(2, Duration.ZERO, Duration.ZERO);
    for (int i = 0; i < JOBS_EACH; i += 2) {
      bench.ledger.submit("ann", spec(random, atOnce));
      bench.ledger.submit("ann", spec(random, RetryPolicy.NONE));
    }
    submitting.decrementAndGet();
  }

  private static JobSpec spec(Random random, RetryPolicy retry) {
    String lane = LANES.get(random.nextInt(LANES.size()));
    return LaneTest.lane(lane).draft().retry(retry).spec();
  }

  private void placeAll() {
    while (open()) {
      bench.place();
    }
  }

  private void endAll(UUID node, Random random) {
    Outcome[] outcomes = {Outcome.SUCCEEDED, Outcome.FAILED, Outcome.LOST, Outcome.STOPPED};
    while (open()) {
      List<AttemptReport> reports = new ArrayList<>();
      for (AttemptId attempt : bench.recorded(node)) {
        Outcome outcome = outcomes[random.nextInt(outcomes.length)];
        reports.add(JobBench.ended(attempt, outcome, outcome == Outcome.FAILED ? 3 : null, 5));
      }
      if (!reports.isEmpty()) {
        bench.reports.take(node, reports);
      }
    }
  }

  private void cancelSome(Random random) {
    while (submitting.get() > 0) {
      List<Long> waiting =
          bench.database.read(
              handle ->
                  handle
                      .createQuery("select job_id from lane_entry order by job_id")
                      .mapTo(Long.class)
                      .list());
      if (waiting.size() > 3) {
        long one = waiting.get(random.nextInt(waiting.size()));
        bench.ledger.act(one, new ActionRequest(Verb.CANCEL, null, "ann", null));
      }
    }
  }

  private boolean open() {
    return submitting.get() > 0
        || bench.database.read(
            handle ->
                handle.createQuery("select count(*) from lane_entry").mapTo(Long.class).one() > 0);
  }

  private List<Change> changes() {
    return bench.database.read(
        handle ->
            handle
                .createQuery(
                    "select e.job_id, j.lane, e.state from job_event e join job j on j.id ="
                        + " e.job_id where e.words not like 'asked to stop%' order by e.id")
                .map(
                    (row, context) ->
                        new Change(
                            row.getLong("job_id"),
                            row.getString("lane"),
                            JobState.valueOf(row.getString("state"))))
                .list());
  }

  private static Callable<Void> task(Runnable work) {
    return () -> {
      work.run();
      return null;
    };
  }
}
