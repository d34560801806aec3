package io.millrace.manager.job;

import io.millrace.api.insight.FailureGroups;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.ElementUsage;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.manager.job.FailureDao.FailedJob;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.RestorationDao.Restoration;
import io.millrace.platform.database.Database;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** Queries about jobs. Thread-safe; blocks on the database. */
public final class JobQueries {
  private static final int CHUNK = 500;

  private final Database database;
  private final JobReadDao reads;
  private final AttemptDao attempts = new AttemptDao();
  private final HistoryDao history = new HistoryDao();
  private final FailureDao failures = new FailureDao();
  private final ResourceAdjustmentDao adjustments = new ResourceAdjustmentDao();
  private final RestorationDao restorations = new RestorationDao();
  private final EndedElements endedElements = new EndedElements();
  private final ElementBlockDao blocks = new ElementBlockDao();
  private final WakeUps wakeUps;
  private final ReleasedElements released;

  public JobQueries(Database database, WakeUps wakeUps) {
    this(database, wakeUps, ReleasedElements.NONE);
  }

  /** Queries that know what elements run that are released one by one. */
  public JobQueries(Database database, WakeUps wakeUps, ReleasedElements released) {
    this.database = database;
    this.released = released;
    this.reads = new JobReadDao(database.dialect());
    this.wakeUps = wakeUps;
  }

  /**
   * A job as shown in lists.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_JOB
   */
  public JobView view(long id) {
    return database
        .read(handle -> reads.view(handle, id))
        .orElseThrow(() -> JobMessages.unknown(id));
  }

  /**
   * Everything known about a job.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_JOB
   */
  public JobDetails details(long id) {
    return database.read(
        handle ->
            row(handle, id)
                .or(() -> endedElements.details(handle, id, released))
                .orElseThrow(() -> JobMessages.unknown(id)));
  }

  private Optional<JobDetails> row(Handle handle, long id) {
    JobView view = reads.view(handle, id).orElse(null);
    if (view == null) {
      return Optional.empty();
    }
    List<AttemptView> tries = attempts.of(handle, id);
    List<JobEvent> events = ElementHistory.of(view, tries, history.of(handle, id));
    List<ResourceAdjustment> requests = adjustments.of(handle, id);
    // Last: as long as the row has it, nothing before it was read after the row's deletion.
    return reads
        .spec(handle, id)
        .map(
            spec ->
                new JobDetails(
                    view,
                    spec,
                    tries,
                    events,
                    elementUsage(handle, view),
                    requests.isEmpty() ? null : requests,
                    workflow(handle, view)));
  }

  private Long workflow(Handle handle, JobView job) {
    Long array = job.progress() == null ? job.array() : (Long) job.id();
    return array == null ? null : released.workflow(handle, array).orElse(null);
  }

  private ElementUsage elementUsage(Handle handle, JobView job) {
    return job.progress() == null ? null : blocks.usage(handle, job.id()).orElse(null);
  }

  /** A page, newest first. */
  public JobPage list(JobFilter filter) {
    JobFilter timed =
        new JobFilter(filter.search().at(database.now()), filter.before(), filter.limit());
    List<JobView> jobs = database.read(handle -> reads.list(handle, timed));
    boolean more = jobs.size() == filter.limit();
    return new JobPage(jobs, more ? jobs.get(jobs.size() - 1).id() : null);
  }

  /**
   * The failed ones of the jobs that match a search by their causes; of more than {@link
   * FailureGrouping#MAX_EXAMINED} the newest.
   */
  public FailureGroups failures(JobSearch search) {
    JobSearch timed = search.at(database.now());
    FailureGrouping grouping = new FailureGrouping();
    Long before = null;
    List<Long> ids;
    do {
      Long from = before;
      ids = database.read(handle -> reads.ids(handle, timed, from, CHUNK));
      List<Long> chunk = ids;
      database
          .read(handle -> failures.failed(handle, chunk))
          .forEach(failed -> grouping.add(failed.cause(), failed.sample()));
      before = ids.isEmpty() ? null : ids.get(ids.size() - 1);
    } while (ids.size() == CHUNK && grouping.failures() < FailureGrouping.MAX_EXAMINED);
    return grouping.answer(ids.size() == CHUNK, List.of());
  }

  /** Which failed elements count. Thread-safe. */
  @FunctionalInterface
  public interface ElementFilter {
    /** Those of the indexes of an array that do. */
    Set<Long> counted(Handle handle, long array, Collection<Long> indexes);
  }

  /**
   * The failed elements of arrays by their causes, each named by its index; of more than {@link
   * FailureGrouping#MAX_EXAMINED} some, the newest of each array first.
   */
  public FailureGroups elementFailures(Collection<Long> arrays, ElementFilter filter) {
    FailureGrouping grouping = new FailureGrouping();
    boolean more = false;
    for (long array : arrays) {
      long before = Long.MAX_VALUE;
      List<Long> ids;
      do {
        more = grouping.failures() >= FailureGrouping.MAX_EXAMINED;
        long from = before;
        ids =
            more
                ? List.of()
                : database.read(handle -> failures.elements(handle, array, from, CHUNK));
        List<Long> chunk = ids;
        database
            .read(
                handle -> {
                  List<FailedJob> failed = failures.failed(handle, chunk);
                  Set<Long> counted =
                      filter.counted(handle, array, failed.stream().map(FailedJob::index).toList());
                  return failed.stream().filter(one -> counted.contains(one.index())).toList();
                })
            .forEach(failed -> grouping.add(failed.cause(), failed.byIndex()));
        before = ids.isEmpty() ? before : ids.get(ids.size() - 1);
      } while (ids.size() == CHUNK);
      if (more) {
        break;
      }
    }
    return grouping.answer(more, List.of());
  }

  /** The node that an attempt was placed on. */
  public Optional<UUID> nodeOf(AttemptId attempt) {
    return database.read(
        handle -> attempts.node(handle, attempt).or(() -> endedElements.node(handle, attempt)));
  }

  /** The last restoration of the database from a backup that contained the attempt, if any. */
  public Optional<Restoration> restorationOf(AttemptId attempt) {
    return database.<List<Restoration>, RuntimeException>read(restorations::all).stream()
        .filter(one -> one.contained(attempt))
        .reduce((earlier, later) -> later);
  }

  /** Whether this is the latest attempt of its job, and the job has not ended. */
  public boolean isCurrent(AttemptId attempt) {
    return database
        .read(handle -> reads.view(handle, attempt.job()))
        .filter(job -> !job.state().ended() && job.attempt() == attempt.number())
        .isPresent();
  }

  /** A future that completes when a central manager has changed the job; may be missed. */
  public CompletableFuture<Void> change(long id) {
    return wakeUps.job(id);
  }
}
