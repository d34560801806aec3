package io.millrace.manager.task;

import io.millrace.api.MessageText;
import io.millrace.api.Pure;
import io.millrace.api.job.AttemptId;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.RunStep.Kind;
import io.millrace.api.task.TaskDefinition;

/**
 * The next step of a run (H-084): its chunks are listed, its workers run, their work is verified.
 * Pure; the same view always yields the same step, so that a successor continues where a task
 * manager was lost.
 */
@Pure
public final class RunRule {
  /**
   * Work of unknown size ends after this many failed workers in a row, or as many as run at a time.
   */
  private static final int MAX_FAILED_IN_ROW = 3;

  private static final int MAX_WORKERS_A_STEP = 10_000;

  private final AttemptId attempt;
  private final RunConduct view;
  private final TaskDefinition task;

  private RunRule(AttemptId attempt, RunConduct view) {
    this.attempt = attempt;
    this.view = view;
    this.task = view.definition();
  }

  /** The next step for this view. */
  public static RunStep next(AttemptId attempt, RunConduct view) {
    return new RunRule(attempt, view).step();
  }

  private RunStep step() {
    if (view.stopping()) {
      return step(Kind.NOTE);
    }
    if (!view.listed()) {
      return list();
    }
    int start = Math.min(starts(), MAX_WORKERS_A_STEP);
    if (start > 0) {
      return new RunStep(attempt, Kind.WORK, start, null, null);
    }
    return view.run().running() > 0 ? step(Kind.NOTE) : finish();
  }

  private RunStep list() {
    return switch (view.listing()) {
      case NONE -> step(Kind.LIST);
      case RUNNING -> step(Kind.NOTE);
      case DONE -> step(Kind.READ_CHUNKS);
      case FAILED -> failed("the command that lists the work failed");
    };
  }

  private int starts() {
    int running = view.run().running();
    if (task.untilDone()) {
      int free = Math.max(0, task.instances() - running);
      boolean over = view.idle() > 0 || givenUp();
      return over ? (int) Math.min(free, givenUp() ? 0 : view.pending()) : free;
    }
    long left = view.pending() + view.run().total() - view.nextChunk();
    int target =
        InstanceRule.workers(
            left + running, view.chunkSeconds(), task.instances(), view.now(), view.endBy());
    return (int) Math.min(left, Math.max(0, target - running));
  }

  private boolean givenUp() {
    return task.untilDone() && view.failedInRow() >= Math.max(MAX_FAILED_IN_ROW, task.instances());
  }

  private RunStep finish() {
    long failures = view.run().failed();
    if (givenUp()) {
      return failed(
          "%s in a row failed%s"
              .formatted(MessageText.counted(view.failedInRow(), "worker"), again()));
    }
    if (failures > 0) {
      String what = task.chunks() == null ? "worker" : "chunk";
      return failed(
          "%d of %s failed%s"
              .formatted(failures, MessageText.counted(view.run().total(), what), again()));
    }
    if (task.verify() == null) {
      return succeeded();
    }
    return switch (view.verifying()) {
      case NONE -> step(Kind.VERIFY);
      case RUNNING -> step(Kind.NOTE);
      case DONE -> succeeded();
      case FAILED -> failed("the command that verifies the work failed");
    };
  }

  private String again() {
    return "; 'millrace task run %s --failed' reruns the failed work".formatted(task.name());
  }

  private RunStep succeeded() {
    boolean nothing = view.run().done() == view.idle();
    return new RunStep(
        attempt, Kind.END, 0, RunState.SUCCEEDED, nothing ? "found nothing to do" : null);
  }

  private RunStep failed(String reason) {
    return new RunStep(attempt, Kind.END, 0, RunState.FAILED, reason);
  }

  private RunStep step(Kind kind) {
    return new RunStep(attempt, kind, 0, null, null);
  }
}
