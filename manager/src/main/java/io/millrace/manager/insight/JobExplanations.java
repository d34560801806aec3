package io.millrace.manager.insight;

import io.millrace.api.MessageText;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.PlacementReasons.PlacementVerdict;
import io.millrace.manager.insight.WaitFactsDao.WaitFacts;
import io.millrace.manager.insight.WaitHistory.WaitingTimes;
import io.millrace.manager.insight.WaitHistory.WaitingTimes.WaitingTime;
import io.millrace.manager.job.ArrayDao;
import io.millrace.manager.job.ArrayRow;
import io.millrace.manager.job.AttemptDao;
import io.millrace.manager.job.DependencyDao;
import io.millrace.manager.job.ElementHistory;
import io.millrace.manager.job.EndedElements;
import io.millrace.manager.job.HistoryDao;
import io.millrace.manager.job.JobMessages;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.LaneDao;
import io.millrace.manager.job.ReleasedElements;
import io.millrace.manager.job.ReleasedElements.ElementHold;
import io.millrace.manager.job.RestorationDao;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Explains why jobs wait and have waited. Thread-safe; blocks on the database. */
public final class JobExplanations {
  private static final int MAX_SPANS = 1000;

  private final Database database;
  private final DatabaseTime time;
  private final JobReadDao jobs;
  private final HistoryDao history = new HistoryDao();
  private final AttemptDao attempts = new AttemptDao();
  private final EndedElements endedElements = new EndedElements();
  private final ArrayDao arrays = new ArrayDao();
  private final WaitFactsDao facts = new WaitFactsDao();
  private final ShapeWaitDao waits = new ShapeWaitDao();
  private final ReleasedElements released;
  private final Blockers blockers;
  private final PlacementReasons placement;

  /**
   * Explanations.
   *
   * @param released what holds back elements that are released one by one
   */
  public JobExplanations(
      Database database,
      PoolReader pools,
      ShapeDao shapes,
      ClaimDao claims,
      ReleasedElements released) {
    this.database = database;
    this.released = released;
    this.jobs = new JobReadDao(database.dialect());
    this.blockers = new Blockers(jobs);
    this.time = new DatabaseTime(database.dialect());
    this.placement = new PlacementReasons(pools, shapes, claims);
  }

  /**
   * Why the job waits, what each node answers to it, and what it has waited for so far.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_JOB
   */
  public JobExplanation of(long id) {
    Set<String> dispatched = placement.dispatched();
    return database.read(handle -> explain(handle, id, dispatched));
  }

  /** Those of the jobs, whatever their states, that some node would take now. */
  public Set<Long> taken(Handle handle, Collection<Long> jobs) {
    return placement.taken(handle, facts.find(handle, jobs), time.now(handle));
  }

  private JobExplanation explain(Handle handle, long id, Set<String> dispatched) {
    Instant now = time.now(handle);
    JobView view = jobs.view(handle, id).orElseThrow(() -> JobMessages.unknown(id));
    Optional<WaitFacts> found = facts.find(handle, id);
    Optional<JobSpec> stored = jobs.spec(handle, id);
    if (found.isEmpty() || stored.isEmpty()) {
      return endedElement(handle, id, now);
    }
    WaitFacts job = found.get();
    JobSpec spec = stored.get();
    List<WaitReason> reasons = new ArrayList<>();
    List<NodeVerdict> nodes = List.of();
    if (job.state().waits()) {
      boolean waitsForOthers = view.kind() != JobKind.MANAGER && isSingleOrLane(spec);
      reasons.addAll(blockers.of(handle, job, waitsForOthers, now));
    }
    if (job.state() == JobState.BLOCKED && view.array() != null && reasons.isEmpty()) {
      reasons.addAll(turn(handle, view.array()));
    }
    if (job.isArray() && job.placeable(now)) {
      // Otherwise it would be compared with nodes on which none of its elements may start.
      released.holds(handle, id).stream()
          .filter(ElementHold::all)
          .map(hold -> new WaitReason(WaitCode.ARRAY_TURN, hold.words()))
          .forEach(reasons::add);
    }
    if (job.placeable(now) && reasons.isEmpty()) {
      arrayLimit(handle, job).ifPresent(reasons::add);
      PlacementVerdict verdict = placement.of(handle, job, dispatched, now);
      reasons.addAll(verdict.reasons());
      nodes = verdict.verdict().nodes();
    }
    List<JobEvent> events =
        ElementHistory.of(
            view,
            view.array() == null ? List.of() : attempts.of(handle, id),
            history.of(handle, id));
    return new JobExplanation(
        view,
        List.copyOf(reasons),
        nodes,
        waits(handle, job.shape(), WaitingTimes.of(spec, view.array() != null, events), now));
  }

  // Why an element of an array does not wait for a slot.
  private List<WaitReason> turn(Handle handle, long array) {
    Optional<WaitFacts> held = facts.find(handle, array).filter(WaitFacts::held);
    List<String> words =
        held.isPresent()
            ? List.of(
                "its array, job %d: %s; release that to let it run"
                    .formatted(array, Objects.requireNonNullElse(held.get().holdReason(), "held")))
            : released.holds(handle, array).stream().map(ElementHold::words).toList();
    List<String> shown =
        words.isEmpty()
            ? List.of("waits for its turn among the elements of its array, job " + array)
            : words;
    return shown.stream().map(one -> new WaitReason(WaitCode.ARRAY_TURN, one)).toList();
  }

  /** An element of an array that has succeeded and has no row any more: it waits for nothing. */
  private JobExplanation endedElement(Handle handle, long id, Instant now) {
    JobDetails element =
        endedElements.details(handle, id).orElseThrow(() -> JobMessages.unknown(id));
    List<WaitingTime> times = WaitingTimes.of(element.spec(), true, element.history());
    // Its array has the same shape.
    List<WaitSpan> waits =
        facts
            .find(handle, element.job().array())
            .map(array -> waits(handle, array.shape(), times, now))
            .orElse(List.of());
    return new JobExplanation(element.job(), List.of(), List.of(), waits);
  }

  private static boolean isSingleOrLane(JobSpec spec) {
    return spec.single() != null || spec.lane() != null;
  }

  private Optional<WaitReason> arrayLimit(Handle handle, WaitFacts job) {
    if (!job.isArray()) {
      return Optional.empty();
    }
    ArrayRow array = arrays.read(handle, List.of(job.id())).get(job.id());
    int limit = array == null ? 0 : array.range().limit();
    return limit == 0 || array.open() < limit
        ? Optional.empty()
        : Optional.of(
            new WaitReason(
                WaitCode.ARRAY_LIMIT,
                "%d of at most %d concurrent elements are in progress"
                    .formatted(array.open(), limit)));
  }

  private List<WaitSpan> waits(Handle handle, long shape, List<WaitingTime> times, Instant now) {
    if (times.isEmpty()) {
      return List.of();
    }
    Instant from = times.get(0).from();
    return WaitHistory.of(times, waits.between(handle, shape, from, now, MAX_SPANS), now);
  }

  /** What keeps a job from being placed, whatever nodes there are. Thread-safe. */
  private static final class Blockers {
    private static final int MAX_JOBS = 5;

    private final JobReadDao jobs;
    private final DependencyDao dependencies = new DependencyDao();
    private final LaneDao lanes = new LaneDao();
    private final RestorationDao restorations = new RestorationDao();

    Blockers(JobReadDao jobs) {
      this.jobs = jobs;
    }

    /** The reasons, the decisive one first. */
    List<WaitReason> of(Handle handle, WaitFacts job, boolean exclusive, Instant now) {
      List<WaitReason> reasons = new ArrayList<>();
      if (job.held()) {
        String reason = Objects.requireNonNullElse(job.holdReason(), "held");
        reasons.add(new WaitReason(WaitCode.HELD, reason + "; release it to let it run"));
      }
      if (job.unmet() > 0) {
        reasons.add(dependency(handle, job));
      }
      if (job.lane() != null) {
        lane(handle, job).ifPresent(reasons::add);
      }
      if (job.notBefore() != null && job.notBefore().isAfter(now)) {
        reasons.add(pause(job));
      }
      if (exclusive) {
        restorations.hold(handle, now).map(Blockers::restored).ifPresent(reasons::add);
      }
      return reasons;
    }

    private static WaitReason restored(Instant until) {
      return new WaitReason(
          WaitCode.NOT_BEFORE,
          "starts no earlier than %s: the database was restored from a backup, and a single instance or job of a lane from before may still be running until then"
              .formatted(until));
    }

    private static WaitReason pause(WaitFacts job) {
      return job.attempt() == 0
          ? new WaitReason(WaitCode.NOT_BEFORE, "starts no earlier than " + job.notBefore())
          : new WaitReason(WaitCode.BACKOFF, job.reason() + ", at " + job.notBefore());
    }

    private WaitReason dependency(Handle handle, WaitFacts job) {
      List<Dependency> unmet = dependencies.unmet(handle, job.id(), MAX_JOBS);
      Map<Long, JobView> views =
          jobs.views(handle, unmet.stream().map(Dependency::job).distinct().toList()).stream()
              .collect(Collectors.toMap(JobView::id, Function.identity()));
      String conditions =
          unmet.stream()
              .map(dependency -> condition(dependency, views.get(dependency.job())))
              .collect(Collectors.joining("; "));
      int more = job.unmet() - unmet.size();
      return new WaitReason(
          WaitCode.DEPENDENCY,
          "waits for " + conditions + (more > 0 ? "; and " + more + " more" : ""));
    }

    private static String condition(Dependency dependency, JobView view) {
      String condition =
          switch (dependency.end()) {
            case OK -> " to succeed";
            case ANY -> " to end";
            case FAIL -> " to fail";
          };
      return named(dependency.job(), view) + condition;
    }

    private Optional<WaitReason> lane(Handle handle, WaitFacts job) {
      return lanes
          .ahead(handle, job.id())
          .map(
              ahead -> {
                JobView head = jobs.view(handle, ahead.head()).orElse(null);
                String rest =
                    ahead.jobs() > 1 ? ", the first of " + ahead.jobs() + " before it" : "";
                return new WaitReason(
                    WaitCode.LANE,
                    "lane " + job.lane() + ": after " + named(ahead.head(), head) + rest);
              });
    }

    private static String named(long id, JobView view) {
      return view == null
          ? "job " + id
          : "job %d (%s, %s)".formatted(id, view.name(), MessageText.of(view.state()));
    }
  }
}
