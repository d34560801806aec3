package io.millrace.manager.workflow;

import io.millrace.api.Durations;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.job.ArrayDao;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.TemplateBreaker.State;
import io.millrace.manager.workflow.TemplateBreaker.StepFailure;
import io.millrace.manager.workflow.TemplateBreakerDao.BreakerRow;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty.Duty;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Looks at the workflows that run: pauses templates whose program fails everywhere, and notifies of
 * runs that take too long. What it has to remember is in the database. Blocks on the database; used
 * by the duty's thread.
 */
final class WorkflowWatch implements Duty {
  private static final int WORKFLOWS = 100;
  private static final int MAX_BREAKERS = 1000;
  private static final Duration HUNG_EVERY = Duration.ofSeconds(30);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final JobArrays jobArrays;
  private final WakeUps wakeUps;
  private final WorkflowRevisions revisions;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final TemplateBreakerDao breakers = new TemplateBreakerDao();
  private final StepFailureDao failures = new StepFailureDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ArrayDao arrays = new ArrayDao();
  // Only saves work: a workflow is looked at again when its sums differ.
  private Map<Long, Seen> seen = new HashMap<>();
  private Set<Told> told = new HashSet<>();
  private Instant hungLook = Instant.EPOCH;
  private final FailingWorkflows failing = new FailingWorkflows("watch-workflows");

  /** What a look has found. */
  private record Seen(int epoch, int failed) {
    static Seen of(WorkflowRow row) {
      return new Seen(row.epoch(), row.failed());
    }
  }

  private record Told(long workflow, int epoch) {}

  WorkflowWatch(
      Database database,
      ClaimDao claims,
      JobArrays jobArrays,
      WakeUps wakeUps,
      WorkflowRevisions revisions) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.jobArrays = jobArrays;
    this.wakeUps = wakeUps;
    this.revisions = revisions;
  }

  @Override
  public void run(Claim claim) {
    Instant now = database.now();
    boolean hung = !now.isBefore(hungLook.plus(HUNG_EVERY));
    failing.nextRun();
    Set<Long> probing = workflowsWith(State.PROBING);
    Set<Long> open = workflowsWith(State.OPEN);
    Map<Long, Seen> looked = new HashMap<>();
    Set<Told> tellings = new HashSet<>();
    long after = 0;
    List<WorkflowRow> page;
    do {
      long from = after;
      page =
          database.read(
              handle -> workflows.live(handle, Set.of(WorkflowState.RUNNING), from, WORKFLOWS));
      for (WorkflowRow row : page) {
        after = row.id();
        boolean held = probing.contains(row.id()) || (row.failed() == 0 && open.contains(row.id()));
        if (row.failed() > 0 || held) {
          boolean known =
              (!held && Seen.of(row).equals(seen.get(row.id())))
                  || failing.attempt(row.id(), () -> look(claim, row));
          if (known) {
            looked.put(row.id(), Seen.of(row));
          }
        }
        if (hung) {
          failing.attempt(row.id(), () -> tellIfHung(claim, row, now, tellings));
        }
      }
    } while (page.size() == WORKFLOWS);
    seen = looked;
    if (hung) {
      hungLook = now;
      told = tellings;
    }
  }

  private Set<Long> workflowsWith(State state) {
    return database
        .<List<BreakerRow>, RuntimeException>read(
            handle -> breakers.in(handle, state, MAX_BREAKERS))
        .stream()
        .map(BreakerRow::workflow)
        .collect(Collectors.toSet());
  }

  private boolean look(Claim claim, WorkflowRow row) {
    return database.transaction(
        handle -> {
          if (!claims.lock(handle, claim)) {
            return false;
          }
          workflows
              .lock(handle, row.id())
              .filter(one -> one.state() == WorkflowState.RUNNING)
              .ifPresent(one -> look(handle, one));
          return true;
        });
  }

  private void look(Handle handle, WorkflowRow workflow) {
    Instant now = time.now(handle);
    WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
    Map<Integer, TemplateBreaker> known = breakers.of(handle, workflow.id());
    List<TemplateRow> failed = templates.failed(handle, workflow.id());
    List<Long> changed = closeOthers(handle, workflow, known, failed, now);
    for (TemplateRow row : failed) {
      BreakerRule rule = revision.spec().templates().get(row.name()).breakerInForce();
      TemplateBreaker stored = known.get(row.template());
      TemplateBreaker before = stored;
      if (stored == null || stored.epoch() != workflow.epoch()) {
        before =
            workflow.epoch() == 1
                ? TemplateBreaker.fresh(now)
                : TemplateBreaker.from(workflow.epoch(), row.succeeded, row.failed, now);
      }
      // After a resumption that went on while steps ran, it has several.
      List<Long> own = releases.arraysOf(handle, workflow.id(), row.template());
      TemplateBreaker looked = before.asOf(now).looked(row.succeeded, row.failed, rule);
      List<StepFailure> evidence = evidence(handle, own, before, looked, rule);
      TemplateBreaker after =
          row.unended() > 0 ? looked.judged(evidence, rule, now) : looked.withoutSteps(now);
      // Also what a first look has found, from which the next one counts.
      if (!after.equals(stored)) {
        breakers.write(handle, workflow.id(), row.template(), after);
      }
      if (after.state() != before.state()) {
        changed.addAll(own);
        if (after.state() == State.OPEN) {
          String reason = TemplateBreakers.describe(workflow, row, after);
          WorkflowNotices.paused(handle, workflow, revision.spec(), reason, now);
        }
      }
    }
    if (!changed.isEmpty()) {
      // Elements that wait for a slot wait for their turn again, which the breaker decides about.
      jobArrays.withdraw(handle, changed, WorkflowMessages.TURN, now);
      arrays.markExpandable(handle, arrays.unfinished(handle, changed));
      wakeUps.ready(handle);
      wakeUps.workflowChanged(handle, workflow.id());
    }
  }

  private List<StepFailure> evidence(
      Handle handle,
      List<Long> arrays,
      TemplateBreaker before,
      TemplateBreaker looked,
      BreakerRule rule) {
    int wanted = looked.evidence(rule);
    // A trial is looked at all the time; without further ends, what the look before found holds.
    boolean trial = looked.state() == State.PROBING;
    if (wanted == 0 || (trial && looked.failed() == before.failed())) {
      return List.of();
    }
    return arrays.stream()
        .flatMap(
            array ->
                (trial
                        ? failures.since(handle, array, looked.since(), wanted)
                        : failures.newest(handle, array, wanted))
                    .stream())
        .sorted(
            Comparator.comparing(
                StepFailure::recorded, Comparator.nullsLast(Comparator.reverseOrder())))
        .limit(wanted)
        .toList();
  }

  // Closes those of templates none of whose steps count as failed any more: what paused these was
  // declared otherwise, or runs again. Returns the arrays that are held back no more.
  private List<Long> closeOthers(
      Handle handle,
      WorkflowRow workflow,
      Map<Integer, TemplateBreaker> known,
      List<TemplateRow> failed,
      Instant now) {
    Map<Integer, TemplateBreaker> held = new TreeMap<>(known);
    held.keySet().removeAll(failed.stream().map(TemplateRow::template).toList());
    held.values().removeIf(breaker -> breaker.state() == State.CLOSED);
    List<Long> released = new ArrayList<>();
    templates
        .find(handle, workflow.id(), List.copyOf(held.keySet()))
        .forEach(
            (template, row) -> {
              TemplateBreaker breaker = held.get(template);
              breakers.write(
                  handle, workflow.id(), template, breaker.withoutFailures(row.succeeded, now));
              if (breaker.epoch() == workflow.epoch()) {
                released.addAll(releases.arraysOf(handle, workflow.id(), template));
              }
            });
    return released;
  }

  private boolean tellIfHung(Claim claim, WorkflowRow row, Instant now, Set<Told> tellings) {
    Instant since = database.read(handle -> hungSince(handle, row, now));
    if (since != null) {
      tell(claim, row, since, now, tellings);
    }
    return since != null;
  }

  // Since when a run takes too long; null if it does not.
  private Instant hungSince(Handle handle, WorkflowRow workflow, Instant now) {
    WorkflowSpec definition = revisions.read(handle, workflow.id(), workflow.revision()).spec();
    if (!WorkflowNotices.asks(definition, Occasion.HUNG)) {
      return null;
    }
    Instant latest = now.minus(definition.notification().hungAfter());
    if (workflow.startedAt().isAfter(latest)) {
      return null;
    }
    Instant since =
        workflow.epoch() == 1
            ? workflow.startedAt()
            : workflows
                .epochBegan(handle, workflow.id(), workflow.epoch())
                .orElse(workflow.startedAt());
    return since.isAfter(latest) ? null : since;
  }

  private void tell(
      Claim claim, WorkflowRow workflow, Instant since, Instant now, Set<Told> tellings) {
    Told telling = new Told(workflow.id(), workflow.epoch());
    tellings.add(telling);
    if (told.contains(telling)) {
      return;
    }
    database.transaction(
        handle -> {
          if (claims.lock(handle, claim)) {
            WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
            Duration allowed = revision.spec().notification().hungAfter();
            String reason = "it has been running for more than " + Durations.format(allowed);
            WorkflowNotices.hung(handle, workflow, revision.spec(), reason, since, now);
          }
          return null;
        });
  }
}
