package io.millrace.manager.job;

import static java.util.stream.Collectors.toCollection;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.Demands.Demand;
import io.millrace.manager.job.Dependencies.DependencyState;
import io.millrace.manager.job.DependencyDao.Edge;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobRules.WaitRules;
import io.millrace.manager.job.Lanes.Entrance;
import io.millrace.manager.job.SubmissionDao.NewRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/** Checks and records new jobs in the caller's transaction. Thread-safe. */
final class JobSubmission {
  private static final int CHUNK = 500;

  private final SubmissionDao store = new SubmissionDao();
  private final JobDao jobs = new JobDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final DeadlineDao deadlines = new DeadlineDao();
  private final HistoryDao history = new HistoryDao();
  private final WorkerDao workers = new WorkerDao();
  private final Demands demands;
  private final Dependencies dependencies;
  private final Lanes lanes;
  private final JobWatcher watcher;
  private final WakeUps wakeUps;

  JobSubmission(
      Demands demands,
      Dependencies dependencies,
      Lanes lanes,
      JobWatcher watcher,
      WakeUps wakeUps) {
    this.demands = demands;
    this.dependencies = dependencies;
    this.lanes = lanes;
    this.watcher = watcher;
    this.wakeUps = wakeUps;
  }

  /** The jobs of one submitter. */
  private record SubmittedBatch(JobKind kind, String owner, List<NewJob> jobs, Instant now) {
    SubmittedBatch part(int from) {
      return new SubmittedBatch(
          kind, owner, jobs.subList(from, Math.min(from + CHUNK, jobs.size())), now);
    }
  }

  /** Records the jobs; returns their ids in the same order. */
  List<Long> submit(Handle handle, JobKind kind, String owner, List<NewJob> all, Instant now) {
    for (NewJob job : all) {
      // An element's specification was checked with that of its array.
      if (job.array() == null) {
        JobRules.check(kind, job.spec());
        WaitRules.checkTime(job.spec(), now);
      }
      requireSingleFree(handle, job.spec());
    }
    ensureTotals(handle, kind, all);
    Entrance entrance = lanes.open(handle, all.stream().map(job -> job.spec().lane()).toList());
    Map<Long, JobState> states =
        dependencies.lock(
            handle, all.stream().flatMap(job -> job.spec().after().stream()).toList());
    SubmittedBatch batch = new SubmittedBatch(kind, owner, all, now);
    List<Long> ids = new ArrayList<>(all.size());
    for (int from = 0; from < all.size(); from += CHUNK) {
      ids.addAll(record(handle, batch.part(from), states, entrance));
    }
    lanes.close(handle, entrance);
    wakeUps.ready(handle);
    return ids;
  }

  private List<Long> record(
      Handle handle, SubmittedBatch batch, Map<Long, JobState> states, Entrance entrance) {
    List<Demand> wanted = demands.of(handle, batch.kind(), batch.owner(), batch.jobs());
    List<DependencyState> dependencyStates = new ArrayList<>();
    List<NewRow> rows = new ArrayList<>();
    for (int i = 0; i < batch.jobs().size(); i++) {
      NewJob job = batch.jobs().get(i);
      DependencyState dependencyState = Dependencies.check(job.spec().after(), states);
      dependencyStates.add(dependencyState);
      rows.add(row(batch, job, wanted.get(i), dependencyState, entrance));
    }
    List<Long> ids = store.insert(handle, rows, batch.now());
    recordWaits(handle, ids, rows, dependencyStates, entrance, batch.now());
    recordTags(handle, ids, rows);
    List<Line> lines = new ArrayList<>();
    Map<Long, JobSpec> arrays = new HashMap<>();
    Map<Long, JobSpec> notifying = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      lines.addAll(lines(ids.get(i), rows.get(i)));
      if (rows.get(i).job().isArray()) {
        arrays.put(ids.get(i), rows.get(i).job().spec());
      }
      NewJob job = rows.get(i).job();
      if (job.spec().notification() != null && job.array() == null) {
        notifying.put(ids.get(i), job.spec());
      }
    }
    history.write(handle, lines, batch.now());
    watcher.jobsSubmitted(handle, batch.kind(), ids.size() - arrays.size());
    watcher.arraysSubmitted(handle, arrays, batch.now());
    watcher.notifyingSubmitted(handle, notifying, batch.now());
    return ids;
  }

  private static NewRow row(
      SubmittedBatch batch,
      NewJob job,
      Demand demand,
      DependencyState dependencyState,
      Entrance entrance) {
    JobSpec spec = job.spec();
    boolean later = spec.notBefore() != null && spec.notBefore().isAfter(batch.now());
    Instant notBefore = later ? spec.notBefore() : null;
    if (dependencyState.impossible() != null) {
      return new NewRow(
          job,
          batch.kind(),
          batch.owner(),
          demand,
          JobState.CANCELLED,
          0,
          dependencyState.impossible(),
          null);
    }
    int unmet = dependencyState.unmet().size();
    JobState state = WaitingJobs.state(spec.hold(), unmet, entrance.first(spec.lane()));
    String reason =
        switch (state) {
          case HELD -> "submitted on hold";
          case BLOCKED -> JobMessages.blocked(unmet, spec.lane());
          default -> null;
        };
    return new NewRow(job, batch.kind(), batch.owner(), demand, state, unmet, reason, notBefore);
  }

  private void recordTags(Handle handle, List<Long> ids, List<NewRow> rows) {
    Map<Long, List<String>> found = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      List<String> own = rows.get(i).job().spec().tags();
      if (!own.isEmpty()) {
        found.put(ids.get(i), own);
      }
    }
    store.insertTags(handle, found);
  }

  private void recordWaits(
      Handle handle,
      List<Long> ids,
      List<NewRow> rows,
      List<DependencyState> dependencyStates,
      Entrance entrance,
      Instant now) {
    List<Long> waiting = new ArrayList<>();
    List<Edge> edges = new ArrayList<>();
    List<Edge> impossible = new ArrayList<>();
    Map<Long, Instant> ends = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      long id = ids.get(i);
      NewRow row = rows.get(i);
      JobSpec spec = row.job().spec();
      if (row.state().ended()) {
        impossible.add(new Edge(id, dependencyStates.get(i).unmeetable()));
        continue;
      }
      entrance.enter(id, spec.lane());
      for (Dependency condition : dependencyStates.get(i).unmet()) {
        edges.add(new Edge(id, condition));
      }
      // The deadline of an array is enforced by the ArrayReconciler.
      if (spec.deadline() != null && !row.job().isArray()) {
        ends.put(id, spec.deadline());
      }
      if (row.state() == JobState.WAITING && !row.job().isArray()) {
        waiting.add(id);
      }
    }
    dependencies.record(handle, edges);
    dependencies.recordCancelled(handle, impossible);
    deadlines.insert(handle, ends);
    if (!waiting.isEmpty()) {
      ready.insertNew(handle, waiting, now);
    }
  }

  private static List<Line> lines(long id, NewRow row) {
    String event = JobMessages.submittedBy(row.owner());
    if (row.job().array() != null && row.state() == JobState.WAITING) {
      // Derived from its rows, see ElementHistory.
      return List.of();
    }
    if (row.state() != JobState.CANCELLED) {
      return List.of(new Line(id, row.state(), 0, event));
    }
    return List.of(
        new Line(id, JobState.BLOCKED, 0, event),
        new Line(id, JobState.CANCELLED, 0, row.reason()));
  }

  private void ensureTotals(Handle handle, JobKind kind, List<NewJob> all) {
    if (kind == JobKind.WORKER) {
      workers.ensure(
          handle,
          all.stream()
              .map(job -> job.spec().input())
              .map(input -> new SegmentKey(input.queue(), input.node()))
              .collect(toCollection(() -> new TreeSet<>(SegmentKey.ORDER))));
    }
  }

  // Two concurrent submissions may both pass here; the unique key then fails the second.
  private void requireSingleFree(Handle handle, JobSpec spec) {
    if (spec.single() == null) {
      return;
    }
    jobs.liveSingle(handle, spec.single())
        .ifPresent(
            id -> {
              throw JobMessages.singleHeld(spec.single(), id);
            });
  }
}
