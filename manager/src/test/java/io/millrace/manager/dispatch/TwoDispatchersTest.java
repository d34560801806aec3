package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.dispatch.Dispatcher.RoundWatch;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two central managers on one database, ignorant of one another (G-01). */
class TwoDispatchersTest {
  private static final int JOBS = 200;
  private static final int SLOTS = 7;

  @TempDir private Path folder;

  @Test
  void everyJobIsPlacedOnceAndNoNodeIsOverbooked() {
    Database database = CentralTables.in(folder);
    try (JobBench one = new JobBench(database, patient())) {
      JobBench two = new JobBench(database, patient());
      one.employ(JobBench.E1, "e1", SLOTS);
      one.employ(JobBench.E2, "e2", SLOTS);
      Dispatcher left =
          new Dispatcher(
              one.dispatch, one.claims, "left", new SystemClock(), one.wakeUps, RoundWatch.NONE);
      Dispatcher right =
          new Dispatcher(
              two.dispatch, two.claims, "right", new SystemClock(), two.wakeUps, RoundWatch.NONE);
      left.start();
      right.start();
      try {
        for (int i = 0; i < JOBS; i++) {
          (i % 2 == 0 ? one : two).submit(JobBench.command());
        }
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(20))
            .until(() -> finishSome(one, two));
      } finally {
        left.stop();
        right.stop();
      }
      List<JobView> jobs =
          one.queries.list(new JobFilter(null, Set.of(), null, null, null, 1000)).jobs();
      assertThat(jobs).hasSize(JOBS);
      assertThat(jobs).allMatch(job -> job.state() == JobState.SUCCEEDED && job.attempt() == 1);
    }
  }

  /** Ends what is recorded, through either manager; true when all jobs are done. */
  private static boolean finishSome(JobBench one, JobBench two) {
    for (UUID node : List.of(JobBench.E1, JobBench.E2)) {
      List<AttemptId> recorded = one.recorded(node);
      assertThat(recorded).hasSizeLessThanOrEqualTo(SLOTS);
      assertThat(recorded).allMatch(attempt -> attempt.number() == 1);
      for (AttemptId attempt : recorded) {
        JobBench bench = attempt.job() % 2 == 0 ? one : two;
        assertThat(bench.end(attempt, Outcome.SUCCEEDED, 0)).isEmpty();
      }
    }
    return one.totals().submitted().succeeded() == JOBS;
  }

  private static Heartbeat patient() {
    return new Heartbeat(Duration.ofSeconds(2), Duration.ofMinutes(10));
  }
}
