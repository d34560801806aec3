package io.millrace.manager.insight;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.notification.Notification;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.insight.JobProblems.Changes;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.job.ReleasedElements;
import io.millrace.manager.node.ClockSteps;
import io.millrace.manager.node.ClockSteps.ClockStep;
import io.millrace.manager.notification.NoticeFailureDao;
import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.NoticeFailureDao.NoticeFailure;
import io.millrace.manager.notification.NoticeFailureDao.NoticeFailure.Origin;
import io.millrace.manager.placement.LicenceDao;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimDao.ClaimState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Problems other than those of queues, the most urgent first. The cost does not depend on how many
 * jobs wait. Thread-safe; blocks on the database.
 */
public final class ProblemService {
  private static final Duration SHOULD_RUN_WITHIN = Duration.ofSeconds(30);
  // Long enough for a node that restarts.
  private static final Duration MATCHED_WITHIN = Duration.ofMinutes(1);
  private static final Duration NEAR = Duration.ofMinutes(5);
  private static final Duration UNHELD = Duration.ofMinutes(1);
  // A claim that has not been held for that long belonged to an earlier release.
  private static final Duration ABANDONED = Duration.ofDays(1);
  private static final String DISPATCH = "dispatch";
  // More than are listed, so that the rest is counted.
  private static final int MAX = 100;

  private final Database database;
  private final DatabaseTime time;
  private final Supplier<List<ExecutionNodeView>> nodes;
  private final ClockSteps steps;
  private final ClaimDao claims;
  private final ReleasedElements released;
  private final JobReadDao jobReads;
  private final List<Supplier<List<Alert>>> further = new CopyOnWriteArrayList<>();
  private final ProblemDao store = new ProblemDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final LicenceDao licences = new LicenceDao();

  public ProblemService(
      Database database,
      Supplier<List<ExecutionNodeView>> nodes,
      ClockSteps steps,
      ClaimDao claims,
      ReleasedElements released) {
    this.database = database;
    this.released = released;
    this.jobReads = new JobReadDao(database.dialect());
    this.time = new DatabaseTime(database.dialect());
    this.nodes = nodes;
    this.steps = steps;
    this.claims = claims;
  }

  /** Adds a further source of problems. */
  public void also(Supplier<List<Alert>> source) {
    further.add(source);
  }

  /** All present problems. */
  public List<Alert> all() {
    List<ExecutionNodeView> known = nodes.get();
    List<Alert> alerts = new ArrayList<>(database.read(handle -> jobs(handle, known)));
    alerts.addAll(NodeProblems.of(known, database.now()));
    steps.recent().forEach(step -> alerts.add(stepped(step)));
    unheld().forEach(alerts::add);
    further.forEach(source -> alerts.addAll(source.get()));
    return List.copyOf(alerts);
  }

  private List<Alert> jobs(Handle handle, List<ExecutionNodeView> known) {
    Instant now = time.now(handle);
    PoolProblems pools = PoolProblems.of(known);
    Changes changes = (job, wanted) -> changed(handle, job, wanted);
    List<Alert> alerts = new ArrayList<>();
    List<Alert> outOfService =
        pools.outOfService(store.unavailable(handle), now.minus(SHOULD_RUN_WITHIN), now);
    Set<String> named = outOfService.stream().map(Alert::subject).collect(Collectors.toSet());
    store.overdueSingles(handle, now, now.minus(SHOULD_RUN_WITHIN), MAX).stream()
        // One problem of the pool instead of one for each manager.
        .filter(job -> !named.contains(job.pool()))
        .map(JobProblems::notRunning)
        .forEach(alerts::add);
    store.deadlines(handle, now, now.plus(NEAR), MAX).stream()
        .map(due -> JobProblems.deadlineNear(due.job(), Duration.between(now, due.deadline())))
        .forEach(alerts::add);
    store.late(handle, now, MAX).stream().map(JobProblems::late).forEach(alerts::add);
    store.oversized(handle, MAX).stream()
        .map(jobs -> JobProblems.neverFits(jobs, known, changes))
        .flatMap(Optional::stream)
        .forEach(alerts::add);
    store.unmatched(handle, now.minus(MATCHED_WITHIN), MAX).stream()
        .filter(jobs -> jobs.job() != null)
        .map(jobs -> JobProblems.unmatched(jobs, now, changes))
        .forEach(alerts::add);
    Map<String, Integer> licenceTotals = licences.totals(handle);
    store.licensed(handle).stream()
        .map(jobs -> JobProblems.lackLicence(jobs, licenceTotals, changes))
        .flatMap(Optional::stream)
        .limit(MAX)
        .forEach(alerts::add);
    alerts.addAll(pools.withoutNode(ready.pools(handle), MAX));
    alerts.addAll(outOfService);
    failingNotices(handle).map(ProblemService::undelivered).forEach(alerts::add);
    return alerts;
  }

  private String changed(Handle handle, long job, String wanted) {
    return jobReads
        .view(handle, job)
        // An array has its progress, an element its array.
        .map(view -> view.progress() == null ? view.array() : (Long) view.id())
        .flatMap(array -> released.changed(handle, array, wanted))
        .orElseGet(() -> Changes.OF_JOBS.of(job, wanted));
  }

  /**
   * What queues and tasks are notified by is a problem only while a definition in force names it:
   * nobody can deliver anything to the target of a deleted or changed one, which would end it.
   */
  private static Stream<NoticeFailure> failingNotices(Handle handle) {
    List<NoticeFailure> failing = NoticeFailureDao.failing(handle, MAX);
    if (failing.stream().noneMatch(ProblemService::ofDefinition)) {
      return failing.stream();
    }
    Set<String> named =
        DefinitionDao.inForce(handle).stream()
            .map(row -> Json.read(row.body(), NotifyingDefinition.class).notification())
            .filter(Objects::nonNull)
            .flatMap(FailingTarget::named)
            .collect(Collectors.toSet());
    return failing.stream().filter(one -> !ofDefinition(one) || named.contains(one.hash()));
  }

  private static boolean ofDefinition(NoticeFailure failure) {
    return failure.origin() == Origin.DEFINITION;
  }

  /** What any kind of definition says of notifications; null for none. */
  private record NotifyingDefinition(@JsonProperty("notify") Notification notification) {}

  private static Alert stepped(ClockStep step) {
    return new Alert(
            "CLOCK_STEP",
            step.source(),
            "the clock of the %s stepped %s %s at %s by the database's clock; nothing has expired because of that. Find out what sets it, and configure NTP to slew instead of step"
                .formatted(
                    step.source(),
                    Durations.format(step.step().abs()),
                    step.step().isNegative() ? "back" : "ahead",
                    step.noticedAt()))
        .since(step.noticedAt());
  }

  private static Alert undelivered(NoticeFailure failure) {
    return new Alert(
            "NOTIFICATIONS_FAILING",
            failure.shown(),
            "notifications by %s fail; the last of %d was about %s: %s. %s at %s unless a further one fails"
                .formatted(
                    failure.shown(),
                    failure.failures(),
                    failure.toldOf(),
                    failure.reason(),
                    remedy(failure.origin()),
                    failure.endsAt()))
        .since(failure.beganAt());
  }

  private static String remedy(Origin origin) {
    return switch (origin) {
      case DEFINITION ->
          "Correct the notify of the definition, or what it needs; this ends with the next delivery, once no definition names it, or";
      case SETTINGS ->
          "Correct 'problems' in the settings of all central managers, or what it needs; this ends with the next delivery, or";
      case JOB ->
          "The notify of a submitted job cannot be changed: correct what it needs and submit further jobs with another one, or silence this problem; it ends with the next delivery, or";
    };
  }

  // Pools are claimed only while they have work; every other duty always has a holder.
  private List<Alert> unheld() {
    Instant now = database.now();
    return claims.list().stream()
        .filter(state -> !state.live() && !state.claim().resource().startsWith(DISPATCH))
        .filter(state -> state.expiresAt().isBefore(now.minus(UNHELD)))
        .filter(state -> state.expiresAt().isAfter(now.minus(ABANDONED)))
        .limit(MAX)
        .map(state -> unheld(state, now))
        .toList();
  }

  private static Alert unheld(ClaimState state, Instant now) {
    Duration since = Duration.between(state.expiresAt(), now);
    return new Alert(
            "CLAIM_UNHELD",
            state.claim().resource(),
            "no central manager has run '%s' for %s; see their logs for the reason"
                .formatted(
                    state.claim().resource(),
                    Durations.format(Duration.ofSeconds(since.toSeconds()))))
        .since(state.expiresAt());
  }
}
