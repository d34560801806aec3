package io.millrace.manager.job;

import io.millrace.api.job.*;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.database.*;
import java.nio.file.Path;
import java.time.Duration;
import java.util.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpeedTmpTest {
  @TempDir Path folder;

  @Test
  void speed() {
    Database database =
        Database.open(DatabaseSettings.file(folder, "central"), List.of("platform", "central"));
    try (JobBench b = new JobBench(database, new Heartbeat(Duration.ofSeconds(2), Duration.ofMinutes(10)))) {
      b.employ(JobBench.E1, "e1", 1000);
      for (int round = 0; round < 6; round++) {
        long t0 = System.nanoTime();
        for (int i = 0; i < 10; i++) {
          b.submit(JobKind.WORKER, Collections.nCopies(500, JobBench.worker("alert", "q1")).toArray(JobSpec[]::new));
        }
        long t1 = System.nanoTime();
        long place = 0, start = 0, end = 0;
        for (int i = 0; i < 5; i++) {
          long p0 = System.nanoTime();
          b.place();
          long p1 = System.nanoTime();
          List<AttemptReport> s = new ArrayList<>(), e = new ArrayList<>();
          for (AttemptId a : b.recorded(JobBench.E1)) {
            s.add(JobBench.started(a));
            e.add(JobBench.ended(a, Outcome.SUCCEEDED, 0, 100));
          }
          b.reports.take(JobBench.E1, s);
          long p2 = System.nanoTime();
          b.reports.take(JobBench.E1, e);
          long p3 = System.nanoTime();
          place += p1 - p0; start += p2 - p1; end += p3 - p2;
        }
        System.out.printf("SPEED submit %d place %d start %d end %d ms per 5000%n", (t1 - t0) / 1000000, place / 1000000, start / 1000000, end / 1000000);
      }
    }
  }
}
