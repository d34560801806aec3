package io.millrace.manager.job;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.WorkerDao.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Sums up what happened to workers, by segment. Not thread-safe; lives for one transaction. */
final class WorkerProgress {
  private static final Set<Outcome> FAILED_BY_ITSELF =
      EnumSet.of(Outcome.FAILED, Outcome.SIGNALLED, Outcome.TIMED_OUT, Outcome.START_FAILED);
  // A stopped, lost or idle run says nothing about how long work takes.
  private static final Set<Outcome> TIMED =
      EnumSet.of(Outcome.SUCCEEDED, Outcome.FAILED, Outcome.SIGNALLED, Outcome.TIMED_OUT);

  private final Map<SegmentKey, Sum> sums = new HashMap<>();

  void started(JobFacts job, Instant startedAt) {
    if (job.kind() == JobKind.WORKER) {
      Sum sum = sum(job);
      sum.started++;
      // A place given by an older version bears no time.
      Instant since = job.placedAt() == null ? job.submittedAt() : job.placedAt();
      Duration latency = Duration.between(since, startedAt);
      sum.latencySeconds += Math.max(0, latency.toMillis() / 1000.0);
    }
  }

  void ended(JobFacts job, AttemptResult result) {
    if (job.kind() == JobKind.WORKER) {
      Outcome outcome = result.outcome();
      Sum sum = sum(job);
      sum.finished++;
      if (FAILED_BY_ITSELF.contains(outcome)) {
        sum.failed++;
      }
      if (TIMED.contains(outcome)) {
        sum.timedRuns++;
        sum.runSeconds += result.runMillis() / 1000.0;
      }
    }
  }

  Map<SegmentKey, Progress> bySegment() {
    Map<SegmentKey, Progress> progress = new HashMap<>();
    sums.forEach((segment, sum) -> progress.put(segment, sum.progress()));
    return progress;
  }

  private Sum sum(JobFacts job) {
    return sums.computeIfAbsent(
        new SegmentKey(job.queue(), job.segmentNode()), segment -> new Sum());
  }

  private static final class Sum {
    private int started;
    private double latencySeconds;
    private int finished;
    private int failed;
    private int timedRuns;
    private double runSeconds;

    Progress progress() {
      return new Progress(
          started,
          started == 0 ? 0 : latencySeconds / started,
          finished,
          failed,
          timedRuns,
          timedRuns == 0 ? 0 : runSeconds / timedRuns);
    }
  }
}
