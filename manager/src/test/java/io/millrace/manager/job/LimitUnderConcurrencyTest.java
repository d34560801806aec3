package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Dispatch, reports of two nodes and the steward at the same time, as they are in a cluster. */
class LimitUnderConcurrencyTest {
  private static final int LIMIT = 7;
  private static final int SIZE = 200;

  private final ArrayBench bench = new ArrayBench(20);
  private final ExecutorService threads = Executors.newFixedThreadPool(5);

  @AfterEach
  void close() {
    threads.shutdownNow();
    bench.close();
  }

  @Test
  void theLimitIsNeverExceededAndNothingIsLost() throws Exception {
    long array = bench.submit("1-" + SIZE + "%" + LIMIT);
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Integer>> parts = new ArrayList<>();
    parts.add(threads.submit(until(over, bench.jobs::place)));
    parts.add(threads.submit(until(over, () -> report(JobBench.E1))));
    parts.add(threads.submit(until(over, () -> report(JobBench.E2))));
    parts.add(threads.submit(until(over, bench::tend)));
    Future<Integer> max = threads.submit(() -> watch(array, over));
    assertThat(max.get()).isBetween(1, LIMIT);
    for (Future<Integer> part : parts) {
      part.get();
    }
    assertThat(bench.view(array).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(bench.progress(array).succeeded()).isEqualTo(SIZE);
    bench.recount(array);
  }

  /** Ends what the node has, in one request. */
  private int report(UUID node) {
    List<AttemptReport> ends = new ArrayList<>();
    for (AttemptId attempt : bench.jobs.recorded(node)) {
      ends.add(JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 10));
    }
    if (!ends.isEmpty()) {
      bench.jobs.reports.take(node, ends);
    }
    return ends.size();
  }

  /** The most elements that were seen waiting for a slot or running, until the array has ended. */
  private int watch(long array, AtomicBoolean over) {
    int max = 0;
    try {
      while (!bench.view(array).state().ended()) {
        max = Math.max(max, open(array));
      }
    } finally {
      over.set(true);
    }
    return max;
  }

  // One statement, so that all is seen at one moment.
  private int open(long array) {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery(
                    "select count(*) from job where array_id = :array and state in ('WAITING',"
                        + " 'PLACED', 'RUNNING')")
                .bind("array", array)
                .mapTo(Integer.class)
                .one());
  }

  private static Callable<Integer> until(AtomicBoolean over, Callable<Integer> work) {
    return () -> {
      int sum = 0;
      while (!over.get()) {
        sum += work.call();
      }
      return sum;
    };
  }
}
