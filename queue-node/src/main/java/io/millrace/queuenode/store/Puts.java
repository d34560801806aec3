package io.millrace.queuenode.store;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Stores batches, each name once, within the limits. Used by the writer's thread. */
final class Puts {
  private static final int FORGOTTEN_AT_ONCE = 5_000;

  private final Ledger ledger;
  private final Doorkeeper doorkeeper = new Doorkeeper();
  private final RecentBatches batches = new RecentBatches();

  Puts(Ledger ledger) {
    this.ledger = ledger;
    ledger.rows().batches().forEach(batch -> batches.add(batch, ledger.nanos()));
    batches.commit();
  }

  PutOutcome put(PutOrder order) {
    OptionalInt known = ledger.number(order.queue());
    int earlier = known.isEmpty() ? 0 : earlier(known.getAsInt(), order.batch());
    if (earlier > 0) {
      return repeated(order, earlier);
    }
    doorkeeper.admit(
        order,
        ledger.tallies().unfinished(order.queue()),
        ledger.tallies().bytes(order.queue()),
        ledger.nanos());
    int queue = ledger.tallies().numberOrNew(order.queue());
    insert(queue, order.events());
    Rows.BatchName name = new Rows.BatchName(queue, order.batch());
    ledger.rows().addBatch(name, order.events().size());
    batches.add(name, ledger.nanos());
    return new PutOutcome(order.events().size(), false);
  }

  private int earlier(int queue, String batch) {
    return ledger.rows().batch(new Rows.BatchName(queue, batch));
  }

  private void insert(int queue, List<NewEvent> events) {
    Tally tally = ledger.tally(queue);
    long now = ledger.now();
    List<Rows.Row> fresh = new ArrayList<>(events.size());
    for (NewEvent event : events) {
      Standing standing = Standing.fresh(ledger.nextSeq(), queue, event, now);
      fresh.add(new Rows.Row(standing, event));
      tally.inserted(standing);
      if (standing.state() == EventState.DELAYED) {
        ledger.hold(standing);
      }
    }
    ledger.rows().insert(fresh);
  }

  private static PutOutcome repeated(PutOrder order, int earlier) {
    if (earlier != order.events().size()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "batch "
              + order.batch()
              + " of queue "
              + order.queue()
              + " was stored with "
              + earlier
              + " events, not "
              + order.events().size()
              + "; give a new batch a new name");
    }
    return new PutOutcome(earlier, true);
  }

  /** Whether names are old enough to be forgotten. Any thread. */
  boolean due(long nowNanos) {
    return batches.isOld(nowNanos);
  }

  void forgetOld() {
    ledger.rows().removeBatches(batches.takeOld(ledger.nanos(), FORGOTTEN_AT_ONCE));
  }

  void commit() {
    doorkeeper.commit();
    batches.commit();
  }

  void rollback() {
    doorkeeper.rollback();
    batches.rollback();
  }
}
