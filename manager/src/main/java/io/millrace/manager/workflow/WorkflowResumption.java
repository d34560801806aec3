package io.millrace.manager.workflow;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.StepNumbers.Packed;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.ArrayDao;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.ResetDao.ResetKind;
import io.millrace.manager.workflow.ResetDao.ResetRow;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Resumes workflows, hot or cold, and sets steps back (J-17). What a request asks for is checked
 * and recorded at once; {@link ResetRound} carries it out. Thread-safe; blocks on the database.
 */
public final class WorkflowResumption {
  private static final int BLOCKS = 512;

  private final Database database;
  private final DatabaseTime time;
  private final JobArrays jobArrays;
  private final WakeUps wakeUps;
  private final WorkflowRevisions revisions;
  private final int partSteps;
  private final ResetRound resetRound;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ResetDao resets = new ResetDao();
  private final ArrayDao arrays = new ArrayDao();
  private final WorkflowEventDao events = new WorkflowEventDao();

  /**
   * Resets.
   *
   * @param partSteps the most steps that are set back in one transaction
   */
  WorkflowResumption(
      Database database,
      JobLedger ledger,
      JobArrays jobArrays,
      WakeUps wakeUps,
      WorkflowRevisions revisions,
      int partSteps) {
    this.partSteps = partSteps;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.jobArrays = jobArrays;
    this.wakeUps = wakeUps;
    this.revisions = revisions;
    this.resetRound = new ResetRound(ledger, time, revisions);
  }

  /**
   * Runs failed and cancelled steps again, with all their attempts; succeeded ones are not
   * repeated.
   *
   * @param mode what happens to steps that run; null if none may: the workflow must have ended
   * @param dependents whether all steps below them are set back as well
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if its state does not allow it
   */
  public WorkflowView retry(long id, ResumeMode mode, boolean dependents, String actor) {
    BitSet below =
        dependents
            ? database.<BitSet, RuntimeException>read(handle -> belowFailed(handle, id, mode))
            : new BitSet();
    return database.transaction(
        handle -> {
          WorkflowRow row = require(handle, id);
          WorkflowSpec definition =
              Json.read(workflows.spec(handle, id, row.revision()), WorkflowSpec.class);
          resume(handle, row, actor, definition, mode, below);
          return WorkflowViews.read(handle, id);
        });
  }

  private BitSet belowFailed(Handle handle, long id, ResumeMode mode) {
    WorkflowRow row = workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    requireResumable(handle, row, mode);
    Set<WorkflowStepState> states =
        EnumSet.of(WorkflowStepState.FAILED, WorkflowStepState.CANCELLED);
    if (mode == ResumeMode.COLD) {
      states.add(WorkflowStepState.RELEASED);
    }
    BitSet seeds = new BitSet();
    for (int from = 0; from <= StepBlock.of(row.steps() - 1); from += BLOCKS) {
      steps
          .blocks(handle, id, from, from + BLOCKS - 1)
          .forEach(
              (number, block) -> {
                int end = Math.min(row.steps(), (number + 1) * StepBlock.SIZE);
                for (int step = number * StepBlock.SIZE; step < end; step++) {
                  if (states.contains(block.state(step))) {
                    seeds.set(step);
                  }
                }
              });
    }
    return new StepDependents(handle, row, revisions.read(handle, id, row.revision()).plan())
        .of(seeds);
  }

  /** Resumes a workflow, whose row is locked, with that definition of the same graph. */
  void resume(
      Handle handle, WorkflowRow row, String actor, WorkflowSpec definition, ResumeMode mode) {
    resume(handle, row, actor, definition, mode, new BitSet());
  }

  private void resume(
      Handle handle,
      WorkflowRow row,
      String actor,
      WorkflowSpec definition,
      ResumeMode mode,
      BitSet below) {
    requireResumable(handle, row, mode);
    Instant now = time.now(handle);
    int revision = revision(handle, row, actor, definition, now);
    boolean running = row.state() == WorkflowState.RUNNING;
    List<Packed> parts = pack(below);
    events.add(handle, row.id(), actor, words(row, running ? mode : null, revision, below), now);
    workflows.unarchive(handle, row.id());
    if (running && mode == ResumeMode.COLD) {
      resets.insert(handle, new ResetRow(row.id(), ResetKind.RETRY, true, revision, actor), parts);
      workflows.change(
          handle,
          row,
          WorkflowState.CANCELLING,
          "what runs is ended first, then it is resumed, as requested by " + actor,
          null);
    } else {
      Instant endsAt = definition.timeout() == null ? null : now.plus(definition.timeout());
      if (resetRound.takesLimits(handle, row, revision, definition) && running) {
        reconsider(handle, row, now);
      }
      workflows.resumed(handle, row, revision, running ? row.endsAt() : endsAt);
      templates.forgetArrays(handle, row.id());
      List<StepOpening> openings = new ArrayList<>();
      if (running && revision != row.revision()) {
        openings.add(StepOpening.of(OpeningKind.WITHDRAW, 0, 0));
      }
      if (parts.isEmpty()) {
        openings.add(StepOpening.of(OpeningKind.RETRY, 0, 0));
      } else {
        resets.insert(
            handle, new ResetRow(row.id(), ResetKind.RETRY, false, revision, actor), parts);
      }
      releases.insertOpenings(handle, row.id(), openings);
    }
    wakeUps.workflowChanged(handle, row.id());
  }

  // Elements that wait for a slot wait for their turn again, which the new limits decide about.
  private void reconsider(Handle handle, WorkflowRow row, Instant now) {
    List<Long> own = releases.arraysOf(handle, row.id());
    jobArrays.withdraw(handle, own, WorkflowMessages.TURN, now);
    arrays.markExpandable(handle, arrays.unfinished(handle, own));
    wakeUps.ready(handle);
  }

  private void requireResumable(Handle handle, WorkflowRow row, ResumeMode mode) {
    boolean running = row.state() == WorkflowState.RUNNING;
    if (running && mode == null) {
      throw WorkflowMessages.conflict(
          row,
          "with --hot, failed steps are tried again and those that run continue; with --cold, those that run are ended first");
    }
    if (!running && row.state() != WorkflowState.FAILED && row.state() != WorkflowState.CANCELLED) {
      throw WorkflowMessages.conflict(row, "only a failed or cancelled one can be tried again");
    }
    if (row.startedAt() == null) {
      throw WorkflowMessages.conflict(row, "it never started; submit it again");
    }
    requireNoReset(handle, row);
  }

  /**
   * Refuses to leave a workflow as it is that is being cancelled, unless that is done to resume it
   * with that definition.
   */
  void requireResumption(Handle handle, WorkflowRow row, WorkflowSpec definition) {
    ResetRow reset = resets.find(handle, row.id()).orElse(null);
    if (reset == null) {
      throw WorkflowMessages.conflict(row, "submit again when it has ended");
    }
    if (!Json.write(definition).equals(workflows.spec(handle, row.id(), reset.revision()))) {
      requireNoReset(handle, row);
    }
  }

  void requireNoReset(Handle handle, WorkflowRow row) {
    if (resets.find(handle, row.id()).isPresent()) {
      throw WorkflowMessages.conflict(
          row,
          "steps of it are being reset; try again when 'millrace workflow show "
              + row.id()
              + "' says no more of that");
    }
  }

  private int revision(
      Handle handle, WorkflowRow row, String actor, WorkflowSpec definition, Instant now) {
    String text = Json.write(definition);
    if (text.equals(workflows.spec(handle, row.id(), row.revision()))) {
      return row.revision();
    }
    // A resumption that was given up has left a revision that never came into force.
    int next = workflows.newestRevision(handle, row.id()) + 1;
    workflows.insertRevision(handle, row.id(), next, actor, now, text);
    return next;
  }

  private static String words(WorkflowRow row, ResumeMode mode, int revision, BitSet below) {
    StringBuilder words = new StringBuilder();
    words.append(
        mode == ResumeMode.COLD
            ? "resumed it cold"
            : mode == ResumeMode.HOT ? "resumed it hot" : "resumed it");
    words.append(", with ").append(WorkflowMessages.count(row.failed(), "failed")).append(" and ");
    words.append(WorkflowMessages.count(row.cancelled(), "cancelled step"));
    if (!below.isEmpty()) {
      words.append(
          ", setting back %s with those below them"
              .formatted(WorkflowMessages.count(below.cardinality(), "step")));
    }
    if (revision != row.revision()) {
      words.append(", by revision ").append(revision);
    }
    return words.toString();
  }

  private List<Packed> pack(BitSet set) {
    int[] numbers = set.stream().toArray();
    List<Packed> parts = new ArrayList<>();
    for (int from = 0; from < numbers.length; from += partSteps) {
      int[] part = Arrays.copyOfRange(numbers, from, Math.min(numbers.length, from + partSteps));
      parts.addAll(StepNumbers.pack(part, part.length));
    }
    return parts;
  }

  /**
   * Lets steps that have ended wait again, so that they run once more. The workflow runs from then
   * on, if it had ended.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; UNKNOWN_STEP; CONFLICT if the state of the workflow
   *     or of a step does not allow it
   */
  public WorkflowView reset(long id, StepReset request, String actor) {
    Wanted wanted = database.read(handle -> wanted(handle, id, request));
    return database.transaction(handle -> reset(handle, id, request, wanted, actor));
  }

  /** The steps of a request, and all that are to be set back. */
  private record Wanted(BitSet named, BitSet all) {}

  private Wanted wanted(Handle handle, long id, StepReset request) {
    WorkflowRow row = workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    requireResettable(handle, row);
    WorkflowRevision revision = revisions.read(handle, id, row.revision());
    List<TemplateRow> rows = templates.of(handle, id);
    BitSet named = named(handle, row, revision, rows, request.steps());
    if (request.template() != null) {
      named.or(ofTemplate(handle, row, revision, rows, request.template()));
    }
    BitSet all =
        request.dependents()
            ? new StepDependents(handle, row, revision.plan()).of(named)
            : (BitSet) named.clone();
    return new Wanted(named, all);
  }

  /** The numbers of steps that users named. */
  static BitSet named(
      Handle handle,
      WorkflowRow row,
      WorkflowRevision revision,
      List<TemplateRow> rows,
      List<String> references) {
    StepReferences known = new StepReferences(row, revision, rows);
    BitSet named = new BitSet();
    references.forEach(reference -> named.set(known.existing(handle, reference)));
    return named;
  }

  private BitSet ofTemplate(
      Handle handle,
      WorkflowRow row,
      WorkflowRevision revision,
      List<TemplateRow> rows,
      String name) {
    TemplateRow template =
        rows.stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(() -> WorkflowMessages.unknownTemplate(row.id(), name));
    PlannedTemplate planned = revision.plan().templates().get(template.template());
    BitSet all = new BitSet();
    if (!planned.listed()) {
      int size = planned.given() == null ? planned.size() : template.existing();
      all.set(planned.first(), planned.first() + size);
    } else if (template.steps > 0) {
      int last = StepBlock.of(template.lastStep);
      for (int from = StepBlock.of(template.firstStep); from <= last; from += BLOCKS) {
        Map<Integer, StepBlock> blocks =
            steps.blocks(handle, row.id(), from, Math.min(last, from + BLOCKS - 1));
        int end = Math.min(template.lastStep + 1, (from + BLOCKS) * StepBlock.SIZE);
        for (int step = Math.max(template.firstStep, from * StepBlock.SIZE); step < end; step++) {
          if (blocks.get(StepBlock.of(step)).template(step) == template.template()) {
            all.set(step);
          }
        }
      }
    }
    return all;
  }

  private void requireResettable(Handle handle, WorkflowRow row) {
    boolean possible =
        switch (row.state()) {
          case RUNNING, SUCCEEDED, FAILED, CANCELLED -> row.startedAt() != null;
          case BINDING, CHECKING, CANCELLING, REFUSED -> false;
        };
    if (!possible) {
      throw WorkflowMessages.conflict(
          row, "steps can only be changed while it runs, or after it has run");
    }
    requireNoReset(handle, row);
  }

  private WorkflowView reset(
      Handle handle, long id, StepReset request, Wanted wanted, String actor) {
    WorkflowRow row = require(handle, id);
    requireResettable(handle, row);
    List<Packed> parts = pack(wanted.all());
    BitSet open = new BitSet();
    for (Packed part : parts) {
      open.or(resetRound.released(handle, row, StepNumbers.unpack(part.bytes())));
    }
    if (!open.isEmpty() && !request.cold()) {
      throw WorkflowMessages.conflict(
          row,
          "%s that would be reset %s for a slot or %s, such as step %d: --cold ends them first"
              .formatted(
                  WorkflowMessages.count(open.cardinality(), "step"),
                  open.cardinality() == 1 ? "waits" : "wait",
                  open.cardinality() == 1 ? "runs" : "run",
                  open.nextSetBit(0)));
    }
    Instant now = time.now(handle);
    WorkflowSpec definition = revisions.read(handle, id, row.revision()).spec();
    boolean running = row.state() == WorkflowState.RUNNING;
    Instant endsAt = definition.timeout() == null ? null : now.plus(definition.timeout());
    workflows.resumed(handle, row, row.revision(), running ? row.endsAt() : endsAt);
    workflows.unarchive(handle, id);
    templates.forgetArrays(handle, id);
    resets.insert(
        handle, new ResetRow(id, ResetKind.STEPS, !open.isEmpty(), row.revision(), actor), parts);
    events.add(handle, id, actor, words(request, wanted), numbers(request, wanted), now);
    wakeUps.workflowChanged(handle, id);
    return WorkflowViews.read(handle, id);
  }

  // Of a whole template the words say enough.
  private static int[] numbers(StepReset request, Wanted wanted) {
    return request.template() == null ? wanted.named().stream().toArray() : new int[0];
  }

  private static String words(StepReset request, Wanted wanted) {
    int below = wanted.all().cardinality() - wanted.named().cardinality();
    String words = "reset ";
    if (request.template() != null) {
      words += "template " + request.template() + ", ";
    }
    words += WorkflowMessages.steps(wanted.named());
    if (below > 0) {
      words += " and " + WorkflowMessages.count(below, "step") + " below";
    }
    return words;
  }

  private WorkflowRow require(Handle handle, long id) {
    return workflows.lock(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
  }
}
