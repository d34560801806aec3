package io.millrace.queuenode.store;

import io.millrace.api.event.RefusalKind;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The rules of a segment store over plain rows.
 *
 * <p>What is leased or delayed is also held in memory with its monotonic deadline, so that receipts
 * are judged without a read; the rows repeat the expected state in their writes, so that memory and
 * table can't drift apart unnoticed.
 */
final class RowSegmentStore implements SegmentStore {
  private static final int PAGE = 200;
  private static final int EXPIRED_AT_ONCE = 5_000;
  private static final String EXPIRED = "the lease ended without a word of the worker";

  private final Rows rows;
  private final Clock clock;
  private final long term;
  private final Tallies tallies;
  private final HeldEvents held = new HeldEvents();
  private final RecentBatches batches = new RecentBatches();
  private long lastSeq;

  /** Opens the store: raises its term and leases anew, in full, what was leased. */
  RowSegmentStore(Rows rows, Clock clock) {
    this.rows = rows;
    this.clock = clock;
    this.term = rows.raiseTerm();
    this.tallies = new Tallies(rows);
    this.lastSeq = rows.lastSeq();
    rows.held().forEach(this::hold);
    rows.batches().forEach(batch -> batches.add(batch, clock.nanoTime()));
    held.commit();
    batches.commit();
  }

  @Override
  public long term() {
    return term;
  }

  @Override
  public PutOutcome put(PutOrder order) {
    int size = order.events().size();
    Integer known = tallies.number(order.queue());
    int earlier = known == null ? 0 : rows.batch(new Rows.BatchName(known, order.batch()));
    if (earlier > 0) {
      return repeated(order, earlier);
    }
    requireRoom(order);
    int queue = tallies.numberOrNew(order.queue());
    Tally tally = tallies.of(queue);
    long now = clock.now().toEpochMilli();
    List<Rows.Row> fresh = new ArrayList<>(size);
    for (NewEvent event : order.events()) {
      Standing standing = Standing.fresh(++lastSeq, queue, now, event.bytes());
      fresh.add(new Rows.Row(standing, event));
      tally.inserted(standing);
    }
    rows.insert(fresh);
    Rows.BatchName name = new Rows.BatchName(queue, order.batch());
    rows.addBatch(name, size);
    batches.add(name, clock.nanoTime());
    return new PutOutcome(size, false);
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

  private void requireRoom(PutOrder order) {
    long unfinished = tallies.unfinished(order.queue());
    if (unfinished + order.events().size() > order.maxEvents()) {
      throw new MillraceException(
          ErrorCode.QUEUE_FULL,
          "the segment of queue "
              + order.queue()
              + " holds "
              + unfinished
              + " of at most "
              + order.maxEvents()
              + " unfinished events (maxEvents); send again later, or let more workers run");
    }
  }

  @Override
  public List<LeasedEvent> lease(LeaseOrder order) {
    Integer queue = tallies.number(order.queue());
    if (queue == null) {
      return List.of();
    }
    List<Rows.Row> chosen = choose(queue, order);
    boolean shared = chosen.size() > 1;
    List<Standing> leased = new ArrayList<>(chosen.size());
    List<LeasedEvent> answer = new ArrayList<>(chosen.size());
    for (Rows.Row row : chosen) {
      Standing next = row.standing().leased(term, order.lease().toMillis(), shared);
      leased.add(next);
      answer.add(new LeasedEvent(next.receipt(), next.failures() + 1, row.event()));
      tallies.of(queue).moved(row.standing(), next);
      hold(next);
    }
    rows.update(EventState.READY, leased);
    return answer;
  }

  private List<Rows.Row> choose(int queue, LeaseOrder order) {
    List<Rows.Row> chosen = new ArrayList<>();
    long bytes = 0;
    long after = 0;
    while (true) {
      int limit = Math.min(PAGE, order.max() - chosen.size());
      List<Rows.Row> page = rows.ready(queue, after, limit);
      for (Rows.Row row : page) {
        after = row.standing().seq();
        if (row.standing().alone()) {
          if (chosen.isEmpty()) {
            return List.of(row);
          }
          // Its turn comes as the head of a batch of its own.
          continue;
        }
        bytes += row.standing().bytes();
        if (!chosen.isEmpty() && bytes > order.maxBytes()) {
          return chosen;
        }
        chosen.add(row);
      }
      if (page.size() < limit || chosen.size() == order.max()) {
        return chosen;
      }
    }
  }

  @Override
  public ReceiptOutcome acknowledge(String queue, List<Receipt> receipts) {
    Judged judged = judge(queue, receipts);
    long now = clock.now().toEpochMilli();
    for (Standing done : judged.good()) {
      tallies.of(done.queue()).acknowledged(done, now);
      held.remove(done.seq());
    }
    rows.delete(judged.good());
    return new ReceiptOutcome(judged.good().size(), judged.stale(), 0, 0);
  }

  @Override
  public ReceiptOutcome refuse(RefuseOrder order) {
    Judged judged = judge(order.queue(), order.receipts());
    Fate fate = giveBack(judged.good(), order);
    return new ReceiptOutcome(judged.good().size(), judged.stale(), fate.dead(), fate.ready());
  }

  @Override
  public ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease) {
    Judged judged = judge(queue, receipts);
    List<Standing> changed = new ArrayList<>();
    for (Standing standing : judged.good()) {
      Standing next = standing.heldFor(lease.toMillis());
      hold(next);
      // The deadline itself is memory; a restart leases anew in full, so only the length is kept.
      if (next.holdMillis() != standing.holdMillis()) {
        changed.add(next);
      }
    }
    rows.update(EventState.LEASED, changed);
    return new ReceiptOutcome(judged.good().size(), judged.stale(), 0, 0);
  }

  @Override
  public Map<String, Integer> expire(Function<String, DeliveryLimits> limits) {
    Map<Integer, List<Standing>> expired = new HashMap<>();
    List<Standing> awaited = new ArrayList<>();
    for (Standing standing : held.due(clock.nanoTime(), EXPIRED_AT_ONCE)) {
      if (standing.state() == EventState.LEASED) {
        expired.computeIfAbsent(standing.queue(), queue -> new ArrayList<>()).add(standing);
      } else {
        awaited.add(standing);
      }
    }
    Map<String, Integer> ready = new HashMap<>();
    expired.forEach(
        (queue, events) -> {
          String name = tallies.name(queue);
          RefuseOrder order =
              new RefuseOrder(
                  name,
                  List.of(),
                  RefusalKind.RETURNED,
                  Duration.ZERO,
                  EXPIRED,
                  limits.apply(name));
          ready.merge(name, giveBack(events, order).ready(), Integer::sum);
        });
    awaken(awaited, ready);
    rows.removeBatches(batches.takeOld(clock.nanoTime(), EXPIRED_AT_ONCE));
    return ready;
  }

  private void awaken(List<Standing> awaited, Map<String, Integer> ready) {
    List<Standing> awake = new ArrayList<>(awaited.size());
    for (Standing standing : awaited) {
      Standing next = standing.in(EventState.READY, 0);
      awake.add(next);
      tallies.of(standing.queue()).moved(standing, next);
      held.remove(standing.seq());
      ready.merge(tallies.name(standing.queue()), 1, Integer::sum);
    }
    rows.update(EventState.DELAYED, awake);
  }

  private record Fate(int dead, int ready) {}

  private Fate giveBack(List<Standing> leased, RefuseOrder order) {
    List<Standing> living = new ArrayList<>();
    List<Standing> dead = new ArrayList<>();
    int ready = 0;
    for (Standing standing : leased) {
      Tally tally = tallies.of(standing.queue());
      Standing next =
          Redelivery.after(standing, order.kind(), order.delay().toMillis(), order.limits());
      tally.moved(standing, next);
      if (order.kind() == RefusalKind.FAILED) {
        tally.failed();
      } else {
        tally.returned();
      }
      held.remove(standing.seq());
      if (next.state() == EventState.DEAD) {
        dead.add(next);
        continue;
      }
      living.add(next);
      if (next.state() == EventState.DELAYED) {
        hold(next);
      } else {
        ready++;
      }
    }
    rows.update(EventState.LEASED, living);
    rows.bury(dead, order.reason(), clock.now().toEpochMilli());
    return new Fate(dead.size(), ready);
  }

  private record Judged(List<Standing> good, List<Receipt> stale) {}

  private Judged judge(String queue, List<Receipt> receipts) {
    Integer number = tallies.number(queue);
    // A map, because a receipt given twice in one request is one receipt.
    Map<Long, Standing> good = new java.util.LinkedHashMap<>();
    List<Receipt> stale = new ArrayList<>();
    for (Receipt receipt : receipts) {
      Standing standing = held.get(receipt.seq());
      if (number != null && standing != null && standing.answers(number, receipt)) {
        good.put(standing.seq(), standing);
      } else {
        stale.add(receipt);
      }
    }
    return new Judged(List.copyOf(good.values()), List.copyOf(stale));
  }

  private void hold(Standing standing) {
    held.put(standing, clock.nanoTime() + Duration.ofMillis(standing.holdMillis()).toNanos());
  }

  @Override
  public boolean due() {
    long now = clock.nanoTime();
    return held.isDue(now) || batches.isOld(now);
  }

  @Override
  public List<DeadRecord> dead(String queue, int limit) {
    Integer number = tallies.number(queue);
    return number == null ? List.of() : rows.dead(number, limit);
  }

  @Override
  public Map<String, SegmentTotals> totals() {
    return tallies.totals();
  }

  @Override
  public void commit() {
    tallies.save();
    rows.commit();
    tallies.committed();
    held.commit();
    batches.commit();
  }

  @Override
  public void rollback() {
    rows.rollback();
    tallies.rollback();
    held.rollback();
    batches.rollback();
  }

  @Override
  public void force() {
    rows.force();
  }

  @Override
  public void close() {
    rows.close();
  }
}
