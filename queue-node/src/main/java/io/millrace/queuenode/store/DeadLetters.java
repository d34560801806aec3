package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep.SweepStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Lists, requeues and drops dead letters, in steps of some thousands. Used by the writer's thread.
 */
final class DeadLetters {
  private static final int STEP = 2_000;

  private final Ledger ledger;

  DeadLetters(Ledger ledger) {
    this.ledger = ledger;
  }

  List<DeadRecord> list(String queue, long beforeSeq, int limit) {
    OptionalInt number = ledger.number(queue);
    List<DeadRecord> records = new ArrayList<>();
    long before = beforeSeq;
    long bytes = 0;
    while (number.isPresent() && records.size() < limit && bytes <= Ledger.READ_BYTES) {
      int page = ledger.page(number.getAsInt(), limit - records.size());
      List<Rows.DeadRow> rows = ledger.rows().dead(number.getAsInt(), before, page);
      for (Rows.DeadRow row : rows) {
        records.add(record(row));
        bytes += row.event().bytes();
      }
      if (rows.size() < page) {
        break;
      }
      before = rows.get(rows.size() - 1).delivery().seq();
    }
    return records;
  }

  private static DeadRecord record(Rows.DeadRow dead) {
    return new DeadRecord(
        dead.delivery().seq(),
        dead.event(),
        dead.delivery().failures(),
        dead.delivery().returns(),
        dead.reason(),
        Instant.ofEpochMilli(dead.diedAt()));
  }

  /**
   * Makes the chosen events ready as if they had never failed; they keep their position by age, and
   * an event that was delivered alone still is.
   */
  SweepStep requeue(String queue, DeadChoice choice, SegmentSweep sweep, long max) {
    return step(
        queue,
        choice,
        sweep,
        max,
        chosen -> {
          List<DeliveryState> ready = new ArrayList<>(chosen.size());
          for (DeliveryState dead : chosen) {
            DeliveryState next =
                dead.charged(dead.alone(), 0, 0).in(EventState.READY, ledger.now(), 0);
            ledger.tally(dead.queue()).moved(dead, next);
            ready.add(next);
          }
          ledger.rows().update(EventState.DEAD, ready);
        });
  }

  /** Replaces a dead letter by a fresh event with other data. */
  DeadRecord requeueChanged(String queue, long seq, byte[] data) {
    OptionalInt number = ledger.number(queue);
    List<Rows.DeadRow> found =
        number.isEmpty() || seq <= 0 || seq > ledger.lastSeq()
            ? List.of()
            : ledger.rows().dead(number.getAsInt(), seq + 1, 1);
    if (found.isEmpty() || found.get(0).delivery().seq() != seq) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_DEAD_LETTER,
          "queue %s has no dead letter %d on this node; it was requeued or dropped"
              .formatted(queue, seq));
    }
    Rows.DeadRow dead = found.get(0);
    ledger.tally(number.getAsInt()).dropped(dead.delivery());
    ledger.rows().delete(EventState.DEAD, List.of(dead.delivery()));
    NewEvent event = dead.event();
    NewEvent changed =
        new NewEvent(event.id(), data, event.attributes(), dead.delivery().priority(), 0);
    DeliveryState fresh =
        DeliveryState.fresh(ledger.nextSeq(), number.getAsInt(), changed, ledger.now());
    ledger.tally(number.getAsInt()).inserted(fresh);
    ledger.rows().insert(List.of(new Rows.Row(fresh, changed)));
    return record(dead);
  }

  SweepStep drop(String queue, DeadChoice choice, SegmentSweep sweep, long max) {
    return step(
        queue,
        choice,
        sweep,
        max,
        chosen -> {
          chosen.forEach(dead -> ledger.tally(dead.queue()).dropped(dead));
          ledger.rows().delete(EventState.DEAD, chosen);
        });
  }

  private interface Action {
    void carryOut(List<DeliveryState> chosen);
  }

  private SweepStep step(
      String queue, DeadChoice choice, SegmentSweep sweep, long max, Action action) {
    OptionalInt number = ledger.number(queue);
    if (number.isEmpty() || max <= 0) {
      return SweepStep.NOTHING;
    }
    SegmentSweep bounded = sweep.notAbove(ledger.lastSeq());
    Candidates candidates =
        choice.seqs() == null
            ? scanned(number.getAsInt(), bounded)
            : named(number.getAsInt(), choice, bounded);
    Map<Long, String> reasons =
        choice.needsReason() ? reasons(number.getAsInt(), choice, candidates.rows()) : Map.of();
    List<DeliveryState> chosen =
        candidates.rows().stream()
            .filter(row -> choice.takes(row, reasons.get(row.delivery().seq())))
            .map(Rows.Row::delivery)
            .limit(max)
            .toList();
    action.carryOut(chosen);
    return new SweepStep(chosen.size(), candidates.rest());
  }

  private record Candidates(List<Rows.Row> rows, Optional<SegmentSweep> rest) {}

  private Candidates scanned(int queue, SegmentSweep sweep) {
    int limit = ledger.page(queue, STEP);
    List<Rows.Row> read = ledger.rows().in(queue, EventState.DEAD, sweep.after(), limit);
    List<Rows.Row> rows =
        read.stream().filter(row -> row.delivery().seq() <= sweep.upTo()).toList();
    boolean more = read.size() == limit && rows.size() == limit;
    return new Candidates(
        rows,
        more ? Optional.of(sweep.from(rows.get(limit - 1).delivery().seq())) : Optional.empty());
  }

  private Candidates named(int queue, DeadChoice choice, SegmentSweep sweep) {
    int limit = ledger.page(queue, STEP);
    List<Long> seqs =
        choice.seqs().stream()
            .filter(seq -> seq > sweep.after() && seq <= sweep.upTo())
            .sorted()
            .toList();
    List<Long> next = seqs.subList(0, Math.min(limit, seqs.size()));
    return new Candidates(
        ledger.rows().find(queue, EventState.DEAD, next),
        next.size() < seqs.size()
            ? Optional.of(sweep.from(next.get(next.size() - 1)))
            : Optional.empty());
  }

  private Map<Long, String> reasons(int queue, DeadChoice choice, List<Rows.Row> rows) {
    Map<Long, String> reasons = new HashMap<>();
    if (choice.seqs() == null && !rows.isEmpty()) {
      // A scan has them all, so reading backwards from its last returns the same ones.
      long last = rows.get(rows.size() - 1).delivery().seq();
      note(reasons, ledger.rows().dead(queue, last + 1, rows.size()));
    } else {
      rows.forEach(row -> note(reasons, ledger.rows().dead(queue, row.delivery().seq() + 1, 1)));
    }
    return reasons;
  }

  private static void note(Map<Long, String> reasons, List<Rows.DeadRow> dead) {
    dead.forEach(row -> reasons.put(row.delivery().seq(), row.reason()));
  }
}
