package io.millrace.manager.workflow;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.ResetDao.ResetKind;
import io.millrace.manager.workflow.ResetDao.ResetPart;
import io.millrace.manager.workflow.ResetDao.ResetRow;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Carries out resets and resumptions piece by piece, each in a transaction that holds the lock of
 * the workflow's row: first what runs of it ends, if need be, then its steps wait again, then they
 * are released. Each piece leaves states and counters consistent, so that a reset continues in
 * another process, and may be given up, between any two. Thread-safe.
 */
final class ResetRound {
  private static final int PARTS = 16;
  private static final int CANCELLED = 5_000;

  private final JobLedger ledger;
  private final DatabaseTime time;
  private final WorkflowRevisions revisions;
  private final ResetDao resets = new ResetDao();
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final StepDao steps = new StepDao();

  ResetRound(JobLedger ledger, DatabaseTime time, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.ledger = ledger;
    this.time = time;
  }

  Optional<ResetRow> pending(Handle handle, WorkflowRow workflow) {
    return resets.find(handle, workflow.id());
  }

  /** Gives up what has not been carried out. */
  void drop(Handle handle, long workflow) {
    resets.delete(handle, workflow);
  }

  /**
   * Takes back some released steps of earlier epochs, if an opening says so; returns whether this
   * round is one that does.
   */
  boolean withdraws(Handle handle, WorkflowRow workflow, List<StepOpening> openings) {
    Optional<StepOpening> withdrawal =
        openings.stream().filter(one -> one.kind() == OpeningKind.WITHDRAW).findFirst();
    if (withdrawal.isEmpty()) {
      return false;
    }
    List<Long> earlier =
        releases.withTemplates(handle, workflow.id()).stream()
            .filter(array -> array.epoch() < workflow.epoch())
            .map(StepArray::array)
            .toList();
    if (!withdraw(handle, workflow, earlier)) {
      releases.deleteOpenings(handle, List.of(withdrawal.get().id()));
    }
    return true;
  }

  private boolean withdraw(Handle handle, WorkflowRow workflow, List<Long> arrays) {
    WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
    WorkflowRow after = new StepWithdrawal(handle, workflow, revision.plan()).withdraw(arrays);
    return after.released() != workflow.released();
  }

  /**
   * Takes a step of a reset of a running workflow other than setting steps back: ends some of what
   * runs, or completes it. Returns whether it changed something.
   */
  boolean advances(Handle handle, WorkflowRow workflow, ResetRow reset) {
    if (reset.ending()) {
      return endsSome(handle, workflow);
    }
    if (!resets.parts(handle, workflow.id(), 0, 1).isEmpty()
        || releases.hasLost(handle, workflow.id())) {
      return false;
    }
    resets.delete(handle, workflow.id());
    OpeningKind next = reset.kind() == ResetKind.RETRY ? OpeningKind.RETRY : OpeningKind.SCAN;
    releases.insertOpenings(handle, workflow.id(), List.of(StepOpening.of(next, 0, 0)));
    return true;
  }

  private boolean endsSome(Handle handle, WorkflowRow workflow) {
    List<Long> own = releases.arraysOf(handle, workflow.id());
    if (withdraw(handle, workflow, own)) {
      return true;
    }
    BitSet open = open(handle, workflow);
    if (open.isEmpty()) {
      resets.ended(handle, workflow.id());
      return true;
    }
    List<Long> jobs = new ArrayList<>();
    releases
        .openElements(handle, own, CANCELLED)
        .forEach(
            element -> {
              if (open.get((int) element.index())) {
                jobs.add(element.job());
              }
            });
    if (!jobs.isEmpty()) {
      ledger
          .actions()
          .apply(
              handle,
              jobs,
              new ActionRequest(
                  Verb.CANCEL, null, "workflow " + workflow.id(), "its step is reset"));
    }
    return false;
  }

  // Steps to set back that have not ended.
  private BitSet open(Handle handle, WorkflowRow workflow) {
    BitSet open = new BitSet();
    long after = 0;
    List<ResetPart> page;
    do {
      page = resets.parts(handle, workflow.id(), after, PARTS);
      for (ResetPart part : page) {
        after = part.id();
        open.or(released(handle, workflow, part.steps()));
      }
    } while (page.size() == PARTS);
    return open;
  }

  /** Those of the steps that are released and have not ended. */
  BitSet released(Handle handle, WorkflowRow workflow, int[] numbers) {
    BitSet released = new BitSet();
    // A block that is not stored has no released step.
    Map<Integer, StepBlock> blocks =
        steps.blocks(handle, workflow.id(), StepBlock.numbersOf(numbers));
    for (int step : numbers) {
      StepBlock block = blocks.get(StepBlock.of(step));
      if (block != null && block.state(step) == WorkflowStepState.RELEASED) {
        released.set(step);
      }
    }
    return released;
  }

  /** The next steps to set back; empty if others have to end first, or if there are none. */
  Optional<ResetPart> next(Handle handle, ResetRow reset) {
    return reset.ending()
        ? Optional.empty()
        : resets.parts(handle, reset.workflow(), 0, 1).stream().findFirst();
  }

  /** Sets steps back in a round. */
  void carryOut(Handle handle, ReleaseRound round, ResetPart part) {
    round.reset(part.steps());
    resets.deletePart(handle, part.id());
  }

  /**
   * Takes over the limits of a new revision where they differ from those of the one before, so that
   * those that somebody changed meanwhile stay otherwise; returns whether any did.
   *
   * @param before the workflow's row before it is resumed
   * @param to the definition of that revision, which may have been written in this transaction:
   *     {@link WorkflowRevisions} would keep it even if the transaction is rolled back
   */
  boolean takesLimits(Handle handle, WorkflowRow before, int revision, WorkflowSpec to) {
    if (revision == before.revision()) {
      return false;
    }
    WorkflowSpec from = revisions.read(handle, before.id(), before.revision()).spec();
    boolean changed = false;
    if (!Objects.equals(from.maxRunning(), to.maxRunning())) {
      workflows.limit(handle, before.id(), to.maxRunning());
      changed = true;
    }
    for (TemplateRow row : templates.of(handle, before.id())) {
      Integer most = to.templates().get(row.name()).maxRunning();
      if (!Objects.equals(from.templates().get(row.name()).maxRunning(), most)) {
        templates.limit(handle, before.id(), row.template(), most);
        changed = true;
      }
    }
    return changed;
  }

  /** Lets a workflow run on, all of whose steps have ended for this reset. */
  void resume(Handle handle, WorkflowRow workflow, ResetRow reset) {
    WorkflowSpec definition = revisions.read(handle, workflow.id(), reset.revision()).spec();
    Instant endsAt =
        definition.timeout() == null ? null : time.now(handle).plus(definition.timeout());
    takesLimits(handle, workflow, reset.revision(), definition);
    workflows.resumed(handle, workflow, reset.revision(), endsAt);
    templates.forgetArrays(handle, workflow.id());
    resets.ended(handle, workflow.id());
  }
}
