package io.millrace.api.workflow;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;

/**
 * A workflow as shown in lists.
 *
 * @param id its number
 * @param name from its definition
 * @param runKey distinguishes runs of the same graph; empty for none
 * @param owner who submitted it
 * @param state where it stands
 * @param paused whether no further steps start until it is resumed
 * @param reason why it is in this state, human-readable; null if plain
 * @param revision number of the definition that further steps run, from 1
 * @param progress its steps by state
 * @param maxRunning most steps that run at the same time; null for any number
 * @param submittedAt by the database's clock
 * @param startedAt when its graph had been checked; null before
 * @param endedAt null before its end
 * @param outcome what the submission that is answered did to it, or the resumption of what was
 *     paused; null in other answers
 */
@RecordBuilder
public record WorkflowView(
    long id,
    String name,
    String runKey,
    String owner,
    WorkflowState state,
    boolean paused,
    String reason,
    int revision,
    StepProgress progress,
    Integer maxRunning,
    Instant submittedAt,
    Instant startedAt,
    Instant endedAt,
    SubmissionOutcome outcome)
    implements WorkflowViewBuilder.With {
  /** One that is the answer to neither. */
  public WorkflowView(
      long id,
      String name,
      String runKey,
      String owner,
      WorkflowState state,
      boolean paused,
      String reason,
      int revision,
      StepProgress progress,
      Integer maxRunning,
      Instant submittedAt,
      Instant startedAt,
      Instant endedAt) {
    this(
        id,
        name,
        runKey,
        owner,
        state,
        paused,
        reason,
        revision,
        progress,
        maxRunning,
        submittedAt,
        startedAt,
        endedAt,
        null);
  }

  /**
   * Steps by state.
   *
   * @param steps all of them
   * @param bound listed steps received so far, while it is being submitted
   * @param waiting what they need has not succeeded
   * @param released may run: waiting for a slot, or running
   * @param succeeded succeeded
   * @param failed failed
   * @param cancelled cancelled
   */
  public record StepProgress(
      int steps, int bound, int waiting, int released, int succeeded, int failed, int cancelled) {}

  /**
   * The progress of a template.
   *
   * @param name of the template
   * @param progress its steps by state
   * @param maxRunning most steps of it that run at the same time; null for any number
   * @param array the array whose elements its steps are now; null before the first
   * @param running released steps that run; the others wait for a slot
   * @param expectedEnd when its steps will have ended; null if they have, or nothing runs any more
   * @param pause why none or few of its steps are started; null if nothing holds them back
   * @param awaits the list that must be given before its steps are known; null if they are known
   */
  public record TemplateView(
      String name,
      StepProgress progress,
      Integer maxRunning,
      Long array,
      int running,
      ExpectedEnd expectedEnd,
      TemplatePause pause,
      AwaitedList awaits) {
    /** One that nothing holds back, whose steps are known. */
    public TemplateView(
        String name,
        StepProgress progress,
        Integer maxRunning,
        Long array,
        int running,
        ExpectedEnd expectedEnd) {
      this(name, progress, maxRunning, array, running, expectedEnd, null, null);
    }

    /** Released steps that wait for a slot. */
    public int queued() {
      return Math.max(0, progress.released() - running);
    }
  }

  /**
   * A template of which no further steps are started, because its program failed everywhere.
   *
   * @param reason which steps failed, human-readable
   * @param since when it was paused, or resumed
   * @param trying whether a few steps at a time are tried, until one succeeds
   */
  public record TemplatePause(String reason, Instant since, boolean trying) {}

  /**
   * A list that a step has not given yet.
   *
   * @param template whose step gives it
   * @param value its name
   * @param max the most values
   * @param problem why what the step gave is not such a list, human-readable; null if it gave none
   */
  public record AwaitedList(String template, String value, int max, String problem) {}

  /**
   * When something is expected to end, from the run times that were measured so far and what is
   * left and running.
   *
   * @param at the time; null if it is unknown
   * @param unknown why it is unknown, human-readable; null if it is known
   */
  public record ExpectedEnd(Instant at, String unknown) {}

  /**
   * A workflow with its templates.
   *
   * @param workflow as in lists
   * @param templates in the order of the definition
   * @param expectedEnd of the whole; null unless it is running
   * @param archivedAt since when lists do not show it; null if they do
   * @param reset what is being set back; null for nothing
   * @param events what operators did to it last, oldest first
   * @param warnings which templates no node that there is could run, human-readable
   */
  public record WorkflowDetails(
      WorkflowView workflow,
      List<TemplateView> templates,
      ExpectedEnd expectedEnd,
      Instant archivedAt,
      PendingReset reset,
      List<WorkflowEvent> events,
      List<String> warnings) {
    public WorkflowDetails {
      events = events == null ? List.of() : List.copyOf(events);
      warnings = warnings == null ? List.of() : List.copyOf(warnings);
    }

    /** One that no operator has touched. */
    public WorkflowDetails(
        WorkflowView workflow, List<TemplateView> templates, ExpectedEnd expectedEnd) {
      this(workflow, templates, expectedEnd, null, null, List.of(), List.of());
    }

    /** The same with these warnings. */
    public WorkflowDetails withWarnings(List<String> found) {
      return new WorkflowDetails(
          workflow, templates, expectedEnd, archivedAt, reset, events, found);
    }
  }

  /**
   * A reset or resumption that is being carried out; no step starts meanwhile.
   *
   * @param actor who asked for it
   * @param ending whether steps that run are being ended first
   * @param left steps that have still to be set back
   */
  public record PendingReset(String actor, boolean ending, int left) {}

  /**
   * A page of workflows, newest first.
   *
   * @param workflows the page
   * @param next pass it as {@code before} for the page after; null at the end
   */
  public record WorkflowPage(List<WorkflowView> workflows, Long next) {}
}
