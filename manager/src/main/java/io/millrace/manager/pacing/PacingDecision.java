package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Reason.ReasonFigures.count;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.ReasonKind;
import io.millrace.manager.pacing.Reason.Seconds;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What a policy decided at one tick.
 *
 * @param workers how many to submit now
 * @param wanted how many the policy wanted before the gates
 * @param gate the last gate that lowered the number
 * @param why with the figures, for an operator
 * @param state to be passed to the next decision and recorded with this one
 */
@Pure
public record PacingDecision(int workers, int wanted, Gate gate, Reason why, PacingState state) {
  public PacingDecision {
    if (workers < 0 || workers > wanted) {
      throw new IllegalArgumentException(
          "workers must be from 0 to the %d wanted, not %d".formatted(wanted, workers));
    }
  }

  /** As many of the wanted workers as the caps, the node and the work itself allow. */
  static PacingDecision limited(
      int wanted,
      Reason reason,
      QueueFigures queue,
      WorkerFigures own,
      PacingLimits limits,
      PacingState state) {
    Limiter limiter = new Limiter(wanted);
    limiter.caps(own, limits);
    limiter.node(queue, own);
    limiter.completions(own, state.completions());
    Reason why =
        limiter.text.isEmpty()
            ? reason
            : Reason.of(reason.kind(), () -> reason.text() + limiter.text);
    return new PacingDecision(limiter.workers, wanted, limiter.gate, why, state);
  }

  /** Without figures nothing is submitted: a manager that sees nothing must not guess (H-157). */
  static PacingDecision withoutFigures(PacingSnapshot snapshot, PacingState state) {
    String missing = snapshot.queue().isEmpty() ? "the segment" : "the workers";
    return new PacingDecision(
        0,
        0,
        Gate.NO_FIGURES,
        Reason.of(
            ReasonKind.NO_FIGURES,
            () -> missing + " could not be read: nothing is submitted until that works again"),
        state.miss(Seconds.of(snapshot.sinceLastTick())));
  }

  /**
   * Nothing is submitted while operators have paused consuming, and the policy learns nothing from
   * the backlog of that time.
   *
   * @param why human-readable
   * @param sinceLastTick monotonic time since the previous tick
   */
  public static PacingDecision paused(String why, PacingState state, Duration sinceLastTick) {
    return new PacingDecision(
        0,
        0,
        Gate.PAUSED,
        Reason.of(ReasonKind.PAUSED, () -> why),
        state.miss(Seconds.of(sinceLastTick)));
  }

  /** Why, as text. */
  public String reason() {
    return why.text();
  }

  /** Lowers a policy's number to the caps and brakes that are the same for every policy. */
  @Pure
  private static final class Limiter {
    private int workers;
    private Gate gate = Gate.NONE;
    private final StringBuilder text = new StringBuilder();

    private Limiter(int wanted) {
      workers = wanted;
    }

    private void caps(WorkerFigures own, PacingLimits limits) {
      lower(
          limits.maxNotStarted() - own.notStarted(),
          Gate.SUBMITTED_NOT_STARTED,
          () ->
              "%d submitted workers are waiting for a slot, at most %d may"
                  .formatted(own.notStarted(), limits.maxNotStarted()));
      int outstanding = Math.max(own.outstandingInCluster(), own.outstanding());
      lower(
          limits.maxWorkers() - outstanding,
          Gate.MAX_WORKERS,
          () -> "%d of maxWorkers %d are outstanding".formatted(outstanding, limits.maxWorkers()));
      lower(limits.maxStartsPerTick(), Gate.MAX_STARTS, () -> "maxStartsPerTick");
    }

    private void node(QueueFigures queue, WorkerFigures own) {
      switch (queue.nodeState()) {
        case BUSY -> lower((workers + 1) / 2, Gate.NODE_BUSY, () -> "the node is BUSY: half");
        case TOOBUSY -> {
          // Fewer than finished lets the load fall. With none at work that would be none for ever,
          // and the events of a node that stays TOOBUSY would never leave it: one at a time starts.
          boolean noneAtWork = own.outstanding() == 0;
          lower(
              Math.max(noneAtWork ? 1 : 0, (int) (own.finished() * 0.8)),
              Gate.NODE_TOOBUSY,
              () ->
                  noneAtWork
                      ? "the node is TOOBUSY: one at a time"
                      : "the node is TOOBUSY: fewer than the %d that finished"
                          .formatted(own.finished()));
        }
        case IDLE, NORMAL -> {}
      }
    }

    private void completions(WorkerFigures own, CompletionWatch completions) {
      if (completions.flat() && own.running() > 0) {
        lower(
            own.finished(),
            Gate.COMPLETIONS_FLAT,
            () ->
                own.running()
                    + " workers are running but completions stay flat: only those that finished"
                    + " are replaced");
      }
    }

    private void lower(int limit, Gate because, Supplier<String> why) {
      int allowed = Math.max(0, limit);
      if (allowed < workers) {
        workers = allowed;
        gate = because;
        text.append("; ").append(why.get()).append(" → ").append(count(allowed));
      }
    }
  }
}
