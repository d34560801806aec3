package io.millrace.manager.job;

import io.millrace.api.Json;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.JobSearch.TimeCondition;
import io.millrace.manager.job.JobSearch.TimeField;
import io.millrace.manager.job.JobSearchDao.IdRange;
import io.millrace.manager.job.JobTotalDao.StateCounts;
import io.millrace.manager.job.ProgramProgressDao.AttemptProgress;
import io.millrace.manager.job.ProgramProgressDao.ElementSum;
import io.millrace.platform.database.Dialect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Reads jobs without locking them. Stateless. */
public final class JobReadDao {
  /**
   * What a node needs to start an attempt.
   *
   * @param kind the kind of job
   * @param owner who submitted it
   * @param spec what to run
   */
  public record Task(JobKind kind, String owner, JobSpec spec) {}

  private static final List<String> KINDS =
      Arrays.stream(JobKind.values()).map(JobKind::name).toList();
  private static final Set<JobState> LIVE = Set.of(JobState.PLACED, JobState.RUNNING);
  private static final List<String> NOT_ENDED =
      Arrays.stream(JobState.values()).filter(state -> !state.ended()).map(JobState::name).toList();

  /** How much later a lower id may have been submitted. */
  static final Duration OVERLAP = Duration.ofMinutes(2);

  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao elements = new ArrayJobDao();
  private final JobTotalDao totals = new JobTotalDao();
  private final ProgramProgressDao programs = new ProgramProgressDao();
  private final EndedElements endedElements = new EndedElements();
  private final EndedElementSearch elementSearch = new EndedElementSearch();

  private final String now;

  public JobReadDao(Dialect dialect) {
    this.now = dialect.now();
  }

  public Optional<JobView> view(Handle handle, long id) {
    return views(handle, List.of(id)).stream().findFirst();
  }

  /** The specification, as long as the job has a row. */
  public Optional<JobSpec> spec(Handle handle, long id) {
    return handle
        .createQuery("select spec from job where id = :id")
        .bind("id", id)
        .mapTo(String.class)
        .findOne()
        .map(spec -> Json.read(spec, JobSpec.class));
  }

  /** What to start, for attempts that are still current. */
  public Map<AttemptId, Task> tasks(Handle handle, Collection<AttemptId> attempts) {
    if (attempts.isEmpty()) {
      return Map.of();
    }
    return handle
        .createQuery(
            """
            select id, attempt_number, kind, owner, spec
            from job
            where id in (<ids>)
            """)
        .bindList("ids", attempts.stream().map(AttemptId::job).toList())
        .map(
            (row, context) ->
                Map.entry(
                    new AttemptId(row.getLong("id"), row.getInt("attempt_number")),
                    new Task(
                        JobKind.valueOf(row.getString("kind")),
                        row.getString("owner"),
                        Json.read(row.getString("spec"), JobSpec.class))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Newest first. */
  public List<JobView> list(Handle handle, JobFilter filter) {
    return views(handle, ids(handle, filter.search(), filter.before(), filter.limit()));
  }

  /** The ids of the jobs that match a search, newest first. */
  public List<Long> ids(Handle handle, JobSearch search, Long before, int limit) {
    JobSearchDao sql = new JobSearchDao(search, range(handle, search), before, limit);
    List<Long> ids = new ArrayList<>();
    for (String text : sql.texts()) {
      Query query = handle.createQuery(text).bindMap(sql.values());
      sql.lists().forEach(query::bindList);
      ids.addAll(query.mapTo(Long.class).list());
    }
    // After the rows, because an element may end in between; it is then found twice.
    ids.addAll(elementSearch.ids(handle, search, before, limit));
    // In one statement with union, databases would sort all rows of each part.
    return ids.stream().distinct().sorted(Comparator.reverseOrder()).limit(limit).toList();
  }

  // Ids rise with the times of submission, save for transactions that overlap.
  private static IdRange range(Handle handle, JobSearch search) {
    IdRange range = IdRange.ALL;
    for (TimeCondition time : search.times()) {
      if (time.field() == TimeField.SUBMITTED && time.after()) {
        long from = firstSince(handle, time.time().minus(OVERLAP));
        range = new IdRange(Math.max(range.from(), from), range.to());
      } else if (time.field() == TimeField.SUBMITTED) {
        long to = firstSince(handle, time.time().plus(OVERLAP));
        range = new IdRange(range.from(), Math.min(range.to(), to));
      }
    }
    return range;
  }

  /** The id of the first job submitted since then, by bisection; above all ids if there is none. */
  private static long firstSince(Handle handle, Instant time) {
    long from = 0;
    long to = handle.createQuery("select max(id) from job").mapTo(Long.class).findOne().orElse(0L);
    to++;
    while (from < to) {
      long middle = from + (to - from) / 2;
      Optional<Submitted> next =
          handle
              .createQuery(
                  """
                  select id, submitted_at
                  from job
                  where id >= :id
                  order by id
                  limit 1
                  """)
              .bind("id", middle)
              .map(
                  (row, context) ->
                      new Submitted(row.getLong("id"), JobColumns.instant(row, "submitted_at")))
              .findOne();
      if (next.isEmpty() || !next.get().at().isBefore(time)) {
        to = middle;
      } else {
        from = next.get().id() + 1;
      }
    }
    return from;
  }

  /** A job's time of submission. */
  private record Submitted(long id, Instant at) {}

  /** The jobs, highest ids first; unknown ids are left out. */
  public List<JobView> views(Handle handle, List<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    List<JobView> rows = rows(handle, ids);
    Set<Long> missing = new HashSet<>(ids);
    rows.forEach(row -> missing.remove(row.id()));
    if (missing.isEmpty()) {
      return rows;
    }
    return Stream.concat(rows.stream(), endedElements.views(handle, missing).stream())
        .sorted(Comparator.comparingLong(JobView::id).reversed())
        .toList();
  }

  private List<JobView> rows(Handle handle, List<Long> ids) {
    Map<Long, ArrayProgress> progress = progress(handle, ids);
    Map<Long, AttemptProgress> reported = programs.of(handle, ids);
    Map<Long, ElementSum> elementSums = programs.elements(handle, progress.keySet());
    return handle
        .createQuery(
            // A job that may start shows why its shape waits if it has no own reason, or if no node
            // takes it now: its own reason is that of its last attempt. Before that time it waits
            // for nothing else.
            """
            select j.id, j.name, j.kind, j.state, j.queue, j.segment_node, j.owner, j.priority,
                j.pool, j.attempt_number, j.node_name, j.outcome, j.exit_code, j.signal_number,
                coalesce(case when r.ready_at <= <now> then (
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                        and w.code in ('NODES_CLOSED', 'NO_NODE')
                    limit 1) end, j.reason, case when r.ready_at <= <now> then (
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                    limit 1) end) as reason,
                j.submitted_at, j.not_before, j.started_at, j.ended_at, j.share, j.lane, j.tags,
                j.deadline, j.array_id, j.array_index
            from job j
            left join job_ready r on r.job_id = j.id
            where j.id in (<ids>)
            order by j.id desc
            """)
        .define("now", now)
        .bindList("ids", ids)
        .map(
            (row, context) -> {
              long id = row.getLong("id");
              ArrayProgress array = progress.get(id);
              return JobColumns.view(
                  row,
                  array,
                  array == null
                      ? current(reported.get(id), row.getInt("attempt_number"))
                      : together(array, elementSums.get(id)));
            })
        .list();
  }

  private static ProgramProgress current(AttemptProgress reported, int attempt) {
    return reported == null || reported.attempt() != attempt ? null : reported.progress();
  }

  /** The percentage of an array: ended elements count in full, running ones as they report. */
  private static ProgramProgress together(ArrayProgress array, ElementSum running) {
    if (running == null || array.size() == 0) {
      return null;
    }
    double ended = array.succeeded() + array.failed() + array.cancelled();
    double percent = Math.min(100, 100 * (ended + running.done()) / array.size());
    return new ProgramProgress(percent, null, null, null, running.reportedAt(), null);
  }

  /**
   * Number of jobs by kind and state: those that have not ended from an index alone, ended ones
   * from stored sums. An array counts as its elements, including those without a job: its own row
   * is subtracted and its remaining elements are added.
   */
  public StateCounts counts(Handle handle) {
    StateCounts counts = new StateCounts();
    handle
        .createQuery(
            """
            select kind, state, count(*) as jobs
            from job
            where kind in (<kinds>) and state in (<states>)
            group by kind, state
            """)
        .bindList("kinds", KINDS)
        .bindList("states", NOT_ENDED)
        .map(
            (row, context) -> {
              counts.add(
                  JobKind.valueOf(row.getString("kind")),
                  JobState.valueOf(row.getString("state")),
                  row.getLong("jobs"));
              return null;
            })
        .list();
    totals.read(handle, counts);
    arrays
        .live(handle)
        .forEach(
            held -> {
              counts.add(JobKind.SUBMITTED, held.state(), -held.arrays());
              counts.add(JobKind.SUBMITTED, JobState.WAITING, held.left());
            });
    return counts;
  }

  /** The progress of those of the jobs that are arrays, by id. */
  private Map<Long, ArrayProgress> progress(Handle handle, Collection<Long> jobs) {
    Map<Long, ArrayRow> rows = arrays.read(handle, jobs);
    Map<Long, Map<JobState, Integer>> live = elements.count(handle, rows.keySet(), LIVE);
    Map<Long, ArrayProgress> progress = new HashMap<>();
    rows.forEach((id, row) -> progress.put(id, progress(row, running(live.get(id)))));
    return progress;
  }

  // The counts come from two statements, between which elements may have ended.
  private static ArrayProgress progress(ArrayRow row, long live) {
    long running = Math.min(live, row.open());
    long waiting = row.left() + row.open() - running;
    return new ArrayProgress(
        row.range().size(),
        waiting,
        running,
        row.succeeded(),
        row.failed(),
        row.cancelled() + row.skipped());
  }

  private static long running(Map<JobState, Integer> live) {
    return live == null ? 0 : live.values().stream().mapToInt(Integer::intValue).sum();
  }
}
