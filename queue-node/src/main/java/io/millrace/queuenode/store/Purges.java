package io.millrace.queuenode.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Deletes events that nobody works on, in steps. Used by the writer's thread. */
final class Purges {
  private static final int STEP = 5_000;

  private final Ledger ledger;

  Purges(Ledger ledger) {
    this.ledger = ledger;
  }

  SweepStep purge(String queue, EventState state, SegmentSweep sweep) {
    if (state == EventState.LEASED) {
      throw new IllegalArgumentException("leased events stay with their workers");
    }
    OptionalInt number = ledger.number(queue);
    if (number.isEmpty()) {
      return SweepStep.NOTHING;
    }
    SegmentSweep bounded = sweep.notAbove(ledger.lastSeq());
    int limit = ledger.page(number.getAsInt(), STEP);
    List<DeliveryState> gone =
        ledger.rows().in(number.getAsInt(), state, bounded.after(), limit).stream()
            .map(Rows.Row::standing)
            .filter(standing -> standing.seq() <= bounded.upTo())
            .toList();
    for (DeliveryState standing : gone) {
      ledger.tally(standing.queue()).dropped(standing);
      ledger.held().remove(standing.seq());
    }
    ledger.rows().delete(state, gone);
    return new SweepStep(
        gone.size(),
        gone.size() == limit
            ? Optional.of(bounded.from(gone.get(limit - 1).seq()))
            : Optional.empty());
  }
}
