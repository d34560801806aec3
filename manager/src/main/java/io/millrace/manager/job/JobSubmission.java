package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.job.store.HistoryStore;
import io.millrace.manager.job.store.HistoryStore.Line;
import io.millrace.manager.job.store.JobStore;
import io.millrace.manager.job.store.ReadyStore;
import io.millrace.manager.job.store.WorkerStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Checks and records new jobs in the caller's transaction. Thread-safe. */
final class JobSubmission {
  private static final int CHUNK = 500;

  private final JobStore jobs = new JobStore();
  private final ReadyStore ready = new ReadyStore();
  private final HistoryStore history = new HistoryStore();
  private final WorkerStore workers = new WorkerStore();
  private final WakeUps wakeUps;

  JobSubmission(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  /** Records the jobs; their ids come in the order of the specs. */
  List<Long> submit(Handle handle, JobKind kind, String owner, List<JobSpec> specs, Instant now) {
    specs.forEach(spec -> JobRules.check(kind, spec));
    specs.forEach(spec -> refuseSecond(handle, spec));
    ensureTotals(handle, kind, specs);
    List<Long> ids = new ArrayList<>(specs.size());
    for (int from = 0; from < specs.size(); from += CHUNK) {
      List<JobSpec> chunk = specs.subList(from, Math.min(from + CHUNK, specs.size()));
      List<Long> inserted = jobs.insert(handle, kind, owner, chunk, now);
      ready.insertNew(handle, inserted);
      history.write(
          handle,
          inserted.stream()
              .map(id -> new Line(id, JobState.WAITING, 0, "submitted by " + owner))
              .toList(),
          now);
      ids.addAll(inserted);
    }
    wakeUps.ready(handle);
    return ids;
  }

  private void ensureTotals(Handle handle, JobKind kind, List<JobSpec> specs) {
    if (kind == JobKind.WORKER) {
      workers.ensure(
          handle,
          specs.stream()
              .map(spec -> new SegmentKey(spec.input().queue(), spec.input().node()))
              .collect(Collectors.toCollection(() -> new TreeSet<>(SegmentKey.ORDER))));
    }
  }

  // Of two at the same moment both may pass here; the unique key then fails the second.
  private void refuseSecond(Handle handle, JobSpec spec) {
    if (spec.single() == null) {
      return;
    }
    jobs.liveSingle(handle, spec.single())
        .ifPresent(
            id -> {
              throw second(spec.single(), id);
            });
  }

  static MillraceException second(String single, long id) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "single '"
            + single
            + "' is held by job "
            + id
            + ", which has not ended; wait for it or cancel it first");
  }
}
