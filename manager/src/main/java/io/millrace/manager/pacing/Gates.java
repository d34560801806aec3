package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Reason.Wording.count;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.PacingState.CompletionWatch;
import io.millrace.manager.pacing.Reason.Seconds;
import java.util.function.Supplier;

/** Holds a policy's number below the caps and brakes that are the same for every policy. */
@Pure
final class Gates {
  private int workers;
  private Gate gate = Gate.NONE;
  private final StringBuilder words = new StringBuilder();

  private Gates(int wanted) {
    workers = wanted;
  }

  /** Lets as many of the wanted workers through as the caps, the node and the work itself allow. */
  static PacingDecision decide(
      int wanted,
      Reason reason,
      QueueFigures queue,
      WorkerFigures own,
      PacingLimits limits,
      PacingState state) {
    Gates gates = new Gates(wanted);
    gates.caps(own, limits);
    gates.node(queue, own);
    gates.completions(own, state.completions());
    Reason why = gates.words.isEmpty() ? reason : Reason.of(() -> reason.text() + gates.words);
    return new PacingDecision(gates.workers, wanted, gates.gate, why, state);
  }

  /** Without figures nothing is submitted: a manager that sees nothing must not guess (H-157). */
  static PacingDecision withoutFigures(PacingSnapshot snapshot, PacingState state) {
    String missing = snapshot.queue().isEmpty() ? "the segment" : "the workers";
    return new PacingDecision(
        0,
        0,
        Gate.NO_FIGURES,
        Reason.of(missing + " could not be read: nothing is submitted until that works again"),
        state.miss(Seconds.of(snapshot.sinceLastTick())));
  }

  private void caps(WorkerFigures own, PacingLimits limits) {
    lower(
        limits.maxNotStarted() - own.notStarted(),
        Gate.SUBMITTED_NOT_STARTED,
        () ->
            own.notStarted()
                + " submitted workers wait for a slot, at most "
                + limits.maxNotStarted());
    int outstanding = Math.max(own.outstandingInCluster(), own.outstanding());
    lower(
        limits.maxWorkers() - outstanding,
        Gate.MAX_WORKERS,
        () -> outstanding + " of maxWorkers " + limits.maxWorkers() + " are outstanding");
    lower(limits.maxStartsPerTick(), Gate.MAX_STARTS, () -> "maxStartsPerTick");
  }

  private void node(QueueFigures queue, WorkerFigures own) {
    switch (queue.nodeState()) {
      case BUSY -> lower((workers + 1) / 2, Gate.NODE_BUSY, () -> "the node is BUSY: half");
      case TOOBUSY -> {
        // Fewer than finished lets the load fall. With none at work that would be none for ever,
        // and the events of a node that stays TOOBUSY would never leave it: one at a time goes on.
        boolean noneAtWork = own.outstanding() == 0;
        lower(
            Math.max(noneAtWork ? 1 : 0, (int) (own.finished() * 0.8)),
            Gate.NODE_TOOBUSY,
            () ->
                "the node is TOOBUSY: "
                    + (noneAtWork
                        ? "one at a time"
                        : "fewer than the " + own.finished() + " finished"));
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
                  + " workers run and completions stay flat: only what finished is replaced");
    }
  }

  private void lower(int limit, Gate because, Supplier<String> why) {
    int allowed = Math.max(0, limit);
    if (allowed < workers) {
      workers = allowed;
      gate = because;
      words.append("; ").append(why.get()).append(" → ").append(count(allowed));
    }
  }
}
