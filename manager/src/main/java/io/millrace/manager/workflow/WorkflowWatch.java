package io.millrace.manager.workflow;

import io.millrace.api.Durations;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.workflow.BreakerRule;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Looks at the workflows that run: pauses templates whose program fails everywhere, and notifies of
 * runs that take too long. What it has to remember is in the database. Blocks on the database; used
 * by the duty's thread.
 */
final class WorkflowWatch implements Duty {
  private static final int WORKFLOWS = 100;
  private static final int MAX_PROBING = 1000;
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
  private final ArrayDao arrays = new ArrayDao();
  // Only saves work: a workflow is looked at again when its sums differ.
  private Map<Long, Seen> seen = new HashMap<>();
  private Set<Told> told = new HashSet<>();
  private Instant hungLook = Instant.EPOCH;

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
    Set<Long> probing =
        database
            .<List<BreakerRow>, RuntimeException>read(
                handle -> breakers.in(handle, State.PROBING, MAX_PROBING))
            .stream()
            .map(BreakerRow::workflow)
            .collect(Collectors.toSet());
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
        if (row.failed() > 0) {
          looked.put(row.id(), Seen.of(row));
          if (probing.contains(row.id()) || !Seen.of(row).equals(seen.get(row.id()))) {
            look(claim, row);
          }
        }
        if (hung && isHung(row, now)) {
          tell(claim, row, now, tellings);
        }
      }
    } while (page.size() == WORKFLOWS);
    seen = looked;
    if (hung) {
      hungLook = now;
      told = tellings;
    }
  }

  private void look(Claim claim, WorkflowRow row) {
    database.transaction(
        handle -> {
          if (claims.lock(handle, claim)) {
            workflows
                .lock(handle, row.id())
                .filter(one -> one.state() == WorkflowState.RUNNING)
                .ifPresent(one -> look(handle, one));
          }
          return null;
        });
  }

  private void look(Handle handle, WorkflowRow workflow) {
    Instant now = time.now(handle);
    WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
    Map<Integer, TemplateBreaker> known = breakers.of(handle, workflow.id());
    List<Long> changed = new ArrayList<>();
    for (TemplateRow row : templates.failed(handle, workflow.id())) {
      if (row.array == null) {
        continue;
      }
      BreakerRule rule = revision.spec().templates().get(row.name()).breakerInForce();
      TemplateBreaker before = known.get(row.template());
      if (!TemplateBreakers.concerns(before, row)) {
        before =
            workflow.epoch() == 1
                ? TemplateBreaker.fresh(row.array, now)
                : TemplateBreaker.from(row.array, row.succeeded, row.failed, now);
      }
      TemplateBreaker looked = before.looked(row.succeeded, row.failed, rule);
      int wanted = looked.evidence(rule);
      List<StepFailure> evidence =
          wanted == 0 ? List.of() : failures.newest(handle, row.array, wanted);
      TemplateBreaker after = looked.judged(evidence, rule, now);
      if (!after.equals(before) || !known.containsKey(row.template())) {
        breakers.write(handle, workflow.id(), row.template(), after);
      }
      if (after.state() != before.state()) {
        changed.add(row.array);
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

  private boolean isHung(WorkflowRow workflow, Instant now) {
    return database.read(
        handle -> {
          WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
          return WorkflowNotices.asks(revision.spec(), Occasion.HUNG)
              && !workflow
                  .startedAt()
                  .plus(revision.spec().notification().hungAfter())
                  .isAfter(now);
        });
  }

  private void tell(Claim claim, WorkflowRow workflow, Instant now, Set<Told> tellings) {
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
            WorkflowNotices.hung(handle, workflow, revision.spec(), reason, now);
          }
          return null;
        });
  }
}
