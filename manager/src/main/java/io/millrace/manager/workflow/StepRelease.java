package io.millrace.manager.workflow;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.job.ArrayDao;
import io.millrace.manager.job.ArrayJobDao;
import io.millrace.manager.job.ArrayRow;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.ListDao.ListRow;
import io.millrace.manager.workflow.ReleaseDao.EndRow;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.ReleaseRound.NumberList;
import io.millrace.manager.workflow.ResetDao.ResetPart;
import io.millrace.manager.workflow.ResetDao.ResetRow;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty.Duty;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Drives the workflows that run (J-15): carries out ends of steps, releases the steps whose needs
 * are met as elements of arrays, and ends a workflow when nothing of it can run any more. Each
 * transaction holds the claim and the lock of one workflow's row, so that it is complete by itself
 * wherever the process dies. Thread-safe; blocks on the database.
 */
final class StepRelease implements Duty {
  private static final int WORKFLOWS = 100;
  private static final int ENDS = 200;
  private static final int STEPS = 4_000;
  private static final int OPENINGS = 1000;
  private static final int MAX_ROUNDS = 100;
  private static final Set<WorkflowState> LIVE =
      EnumSet.of(WorkflowState.RUNNING, WorkflowState.CANCELLING);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final JobLedger ledger;
  private final WakeUps wakeUps;
  private final WorkflowDao workflows = new WorkflowDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ListDao lists = new ListDao();
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final WorkflowRevisions revisions;
  private final ResetRound resetRound;
  private final int maxTouched;
  private final WorkflowEventDao events = new WorkflowEventDao();
  private final FailingWorkflows failing = new FailingWorkflows("release-steps");

  /**
   * One for all workflows.
   *
   * @param maxTouched steps that the openings of one round look at, roughly; at least 1
   */
  StepRelease(
      Database database,
      ClaimDao claims,
      JobLedger ledger,
      WakeUps wakeUps,
      WorkflowRevisions revisions,
      int maxTouched) {
    this.maxTouched = maxTouched;
    this.revisions = revisions;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.ledger = ledger;
    this.wakeUps = wakeUps;
    this.resetRound = new ResetRound(ledger, time, revisions);
  }

  @Override
  public void run(Claim claim) {
    failing.nextRun();
    boolean more = true;
    while (more) {
      more = false;
      // Others would not have their turn if those that fail were among them.
      Set<Long> postponed = failing.postponed();
      for (long workflow :
          database.read(handle -> releases.pending(handle, postponed, WORKFLOWS))) {
        more |= failing.attempt(workflow, () -> rounds(claim, workflow));
      }
    }
    settleAll(claim);
  }

  private void settleAll(Claim claim) {
    long after = 0;
    List<WorkflowRow> page;
    do {
      long from = after;
      page = database.read(handle -> workflows.live(handle, LIVE, from, WORKFLOWS));
      Instant now = database.read(time::now);
      for (WorkflowRow workflow : page) {
        after = workflow.id();
        failing.attempt(workflow.id(), () -> settle(claim, workflow, now));
      }
    } while (page.size() == WORKFLOWS);
  }

  private boolean settle(Claim claim, WorkflowRow workflow, Instant now) {
    return (mayEnd(workflow, now) || database.read(handle -> stopsWaiting(handle, workflow)))
        && database.transaction(
            handle -> claims.lock(handle, claim) && settle(handle, workflow.id()));
  }

  // Whether something other than the end of a step may move it on.
  private static boolean mayEnd(WorkflowRow workflow, Instant now) {
    return workflow.state() == WorkflowState.CANCELLING
        || workflow.open() == 0
        || (workflow.endsAt() != null && !workflow.endsAt().isAfter(now));
  }

  // With failFast, what waits for a slot is not to start once a step has failed: what was released
  // at the same time, and attempts that are repeated.
  private boolean stopsWaiting(Handle handle, WorkflowRow workflow) {
    if (workflow.failed() == 0
        || !revisions.read(handle, workflow.id(), workflow.revision()).spec().failFast()
        || resumes(handle, workflow)) {
      return false;
    }
    List<Long> own = releases.arraysOf(handle, workflow.id());
    return !releases.waiting(handle, own).isEmpty()
        || !arrayJobs.waitingElements(handle, own, 1).isEmpty();
  }

  // Several rounds of one workflow, then others have their turn.
  private boolean rounds(Claim claim, long workflow) {
    for (int round = 0; round < MAX_ROUNDS; round++) {
      if (!round(claim, workflow)) {
        return false;
      }
    }
    return true;
  }

  /** One round of a workflow, in a transaction; returns whether another may be needed. */
  boolean round(Claim claim, long workflow) {
    return database.transaction(handle -> claims.lock(handle, claim) && release(handle, workflow));
  }

  /** One round of a workflow; returns whether another may be needed. */
  private boolean release(Handle handle, long id) {
    Optional<WorkflowRow> locked = workflows.lock(handle, id);
    if (locked.isEmpty()) {
      // It was deleted while something of it was written.
      releases.forget(handle, id);
      resetRound.drop(handle, id);
      return false;
    }
    WorkflowRow workflow = locked.get();
    List<StepOpening> before = releases.openings(handle, id, OPENINGS);
    if (resetRound.withdraws(handle, workflow, before)) {
      return true;
    }
    Optional<ResetRow> reset = resetRound.pending(handle, workflow);
    Optional<ResetPart> part = Optional.empty();
    if (reset.isPresent() && workflow.state() == WorkflowState.RUNNING) {
      if (resetRound.advances(handle, workflow, reset.get())) {
        wakeUps.workflowChanged(handle, id);
        return true;
      }
      part = resetRound.next(handle, reset.get());
    }
    List<EndRow> ends = bounded(releases.ends(handle, id, ENDS));
    if (ends.isEmpty() && before.isEmpty() && part.isEmpty()) {
      return false;
    }
    WorkflowRevision revision = revisions.read(handle, id, workflow.revision());
    boolean stops = revision.spec().failFast() && hasFailed(workflow, ends);
    // Failures from before a resumption do not stop what it has promised to leave.
    boolean withdraws = stops && !resumes(handle, workflow);
    // A resumption that takes several rounds releases in all of them or, at its end, by a scan.
    boolean scansLater = revision.spec().failFast() && retries(before);
    boolean releasing =
        workflow.state() == WorkflowState.RUNNING && !stops && !scansLater && reset.isEmpty();
    ReleaseRound round = new ReleaseRound(handle, workflow, revision.plan(), releasing);
    if (!ends.isEmpty()) {
      releases.deleteEnds(handle, ends.stream().map(EndRow::id).toList());
      round.end(ends, releases.arrays(handle, ends.stream().map(EndRow::array).toList()));
    }
    part.ifPresent(one -> resetRound.carryOut(handle, round, one));
    List<StepOpening> left = round.open(before, maxTouched);
    store(handle, id, before, left);
    round
        .released()
        .forEach((template, steps) -> queue(handle, workflow, revision, round, template, steps));
    WorkflowRow after = round.write();
    if (withdraws) {
      withdraw(handle, after, revision);
    }
    end(handle, after, revision);
    wakeUps.workflowChanged(handle, id);
    return true;
  }

  // The first row, and as many further ones as have not too many steps together.
  private static List<EndRow> bounded(List<EndRow> rows) {
    int steps = 0;
    int count = 0;
    while (count < rows.size() && (count == 0 || steps < STEPS)) {
      steps += rows.get(count).steps().length;
      count++;
    }
    return rows.subList(0, count);
  }

  private static boolean hasFailed(WorkflowRow workflow, List<EndRow> ends) {
    return workflow.failed() > 0 || ends.stream().anyMatch(end -> end.state() == JobState.FAILED);
  }

  private static boolean retries(List<StepOpening> openings) {
    return openings.stream().anyMatch(opening -> opening.kind() == OpeningKind.RETRY);
  }

  // Whether a resumption or a reset has not been carried out.
  private boolean resumes(Handle handle, WorkflowRow workflow) {
    return resetRound.pending(handle, workflow).isPresent()
        || releases.resumes(handle, workflow.id());
  }

  private void store(
      Handle handle, long workflow, List<StepOpening> before, List<StepOpening> left) {
    Map<Long, StepOpening> kept = new HashMap<>();
    List<StepOpening> arisen = new ArrayList<>();
    for (StepOpening opening : left) {
      if (opening.id() == 0) {
        arisen.add(opening);
      } else {
        kept.put(opening.id(), opening);
      }
    }
    List<Long> done = new ArrayList<>();
    for (StepOpening opening : before) {
      StepOpening rest = kept.get(opening.id());
      if (rest == null) {
        done.add(opening.id());
      } else if (rest.progress() != opening.progress()) {
        releases.progress(handle, rest);
      }
    }
    releases.deleteOpenings(handle, done);
    releases.insertOpenings(handle, workflow, arisen);
  }

  // Lets released steps wait to become elements of their template's array.
  private void queue(
      Handle handle,
      WorkflowRow workflow,
      WorkflowRevision revision,
      ReleaseRound round,
      int template,
      NumberList steps) {
    TemplateRow row = round.template(template);
    if (row.array == null) {
      row.array = createArray(handle, workflow, revision.spec(), row);
    }
    releases.insertReleased(handle, row.array, StepNumbers.pack(steps.numbers(), steps.size()));
    arrays.markExpandable(handle, List.of(row.array));
    wakeUps.ready(handle);
  }

  private long createArray(
      Handle handle, WorkflowRow workflow, WorkflowSpec definition, TemplateRow row) {
    JobSpec job = StepResources.scaled(definition.templates().get(row.name()).job());
    int open = row.steps - row.succeeded;
    JobSpec spec =
        job.draft()
            .name(workflow.name() + "/" + row.name())
            .priority(WorkflowRules.priority(definition, job))
            .array(new ArrayRange(0, open - 1, 1, 0))
            .spec();
    long array = ledger.submit(handle, JobKind.SUBMITTED, workflow.owner(), List.of(spec)).get(0);
    releases.insertArray(
        handle, new StepArray(array, workflow.id(), row.template(), workflow.epoch()));
    return array;
  }

  /** Ends what has no effect any more, and the workflow when nothing of it can run. */
  private boolean settle(Handle handle, long id) {
    WorkflowRow workflow = workflows.lock(handle, id).orElse(null);
    if (workflow == null || !LIVE.contains(workflow.state())) {
      return false;
    }
    WorkflowRevision revision = revisions.read(handle, id, workflow.revision());
    Instant now = time.now(handle);
    if (workflow.state() == WorkflowState.RUNNING
        && workflow.endsAt() != null
        && !workflow.endsAt().isAfter(now)) {
      workflows.change(
          handle, workflow, WorkflowState.CANCELLING, WorkflowMessages.TIMED_OUT, null);
      resetRound.drop(handle, id);
      workflow = workflows.lock(handle, id).orElseThrow();
    }
    boolean withdraws =
        workflow.state() == WorkflowState.CANCELLING
            || (revision.spec().failFast() && workflow.failed() > 0 && !resumes(handle, workflow));
    if (withdraws) {
      workflow = withdraw(handle, workflow, revision);
    }
    return end(handle, workflow, revision);
  }

  // Released steps without a job wait again; those with one end with the cancellation of the array.
  private WorkflowRow withdraw(Handle handle, WorkflowRow workflow, WorkflowRevision revision) {
    List<Long> own = releases.arraysOf(handle, workflow.id());
    WorkflowRow after = new StepWithdrawal(handle, workflow, revision.plan()).withdraw(own);
    if (workflow.state() == WorkflowState.CANCELLING) {
      List<Long> open = arrayJobs.unended(handle, own);
      if (!open.isEmpty()) {
        ledger.actions().apply(handle, open, cancellation("its workflow is cancelled", workflow));
      }
    } else {
      List<Long> waiting = arrayJobs.waitingElements(handle, own, OPENINGS);
      if (!waiting.isEmpty()) {
        ledger
            .actions()
            .apply(handle, waiting, cancellation("a step of its workflow has failed", workflow));
      }
    }
    return after;
  }

  private static ActionRequest cancellation(String reason, WorkflowRow workflow) {
    return new ActionRequest(Verb.CANCEL, null, "workflow " + workflow.id(), reason);
  }

  private boolean end(Handle handle, WorkflowRow workflow, WorkflowRevision revision) {
    if (!LIVE.contains(workflow.state())
        || workflow.open() > 0
        || releases.hasEnds(handle, workflow.id())
        || !releases.openings(handle, workflow.id(), 1).isEmpty()) {
      return false;
    }
    Optional<ResetRow> reset = resetRound.pending(handle, workflow);
    if (reset.isPresent()) {
      if (workflow.state() == WorkflowState.CANCELLING) {
        resetRound.resume(handle, workflow, reset.get());
        wakeUps.workflowChanged(handle, workflow.id());
      }
      return false;
    }
    Instant now = time.now(handle);
    int steps =
        workflow.steps()
            - (revision.plan().hasGivenLists() ? lists.absent(handle, workflow.id()) : 0);
    boolean all = workflow.succeeded() == steps;
    WorkflowState state =
        all
            ? WorkflowState.SUCCEEDED
            : workflow.state() == WorkflowState.CANCELLING
                    && !WorkflowMessages.TIMED_OUT.equals(workflow.reason())
                ? WorkflowState.CANCELLED
                : WorkflowState.FAILED;
    String reason =
        followed(
            handle,
            workflow,
            revision.spec(),
            state,
            ending(handle, workflow, revision, state, steps),
            now);
    workflows.change(handle, workflow, state, reason, now);
    WorkflowNotices.ended(handle, workflow, revision.spec(), state, reason, now);
    // Arrays of which steps were never released.
    Map<Long, ArrayRow> own =
        arrays.read(handle, arrayJobs.unended(handle, releases.arraysOf(handle, workflow.id())));
    // The others end by themselves, as what their elements came to.
    List<Long> open =
        own.values().stream().filter(row -> !row.exhausted()).map(ArrayRow::job).toList();
    if (!open.isEmpty()) {
      ledger.actions().apply(handle, open, cancellation("its workflow has ended", workflow));
    }
    wakeUps.workflowChanged(handle, workflow.id());
    return true;
  }

  // Submits what is to follow; returns the reason of the end, with why that was refused.
  private String followed(
      Handle handle,
      WorkflowRow workflow,
      WorkflowSpec definition,
      WorkflowState state,
      String reason,
      Instant now) {
    JobSpec next =
        state == WorkflowState.SUCCEEDED ? definition.onSuccess() : definition.onFailure();
    if (next == null || state == WorkflowState.CANCELLED) {
      return reason;
    }
    Optional<String> refusal = FollowUpJob.submit(handle, ledger, workflow, state, next);
    if (refusal.isEmpty()) {
      wakeUps.ready(handle);
      return reason;
    }
    events.add(handle, workflow.id(), "workflow " + workflow.id(), refusal.get(), now);
    return reason == null ? refusal.get() : reason + "; " + refusal.get();
  }

  private String ending(
      Handle handle,
      WorkflowRow workflow,
      WorkflowRevision revision,
      WorkflowState state,
      int steps) {
    String ending = WorkflowMessages.ended(workflow, state, steps);
    if (state != WorkflowState.FAILED || !revision.plan().hasGivenLists()) {
      return ending;
    }
    return lists.of(handle, workflow.id()).values().stream()
        .filter(list -> list.problem() != null)
        .min(Comparator.comparingInt(ListRow::template))
        .map(
            list ->
                "%s; '%s' %s"
                    .formatted(
                        ending,
                        revision.plan().templates().get(list.giver()).name(),
                        list.problem()))
        .orElse(ending);
  }
}
