package io.millrace.queuenode.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Does the same random changes to several tables, taking its choices from the first of them. */
final class RandomWork {
  private static final int QUEUES = 3;
  private static final int MANY = 10_000;
  private static final int[] PRIORITIES = {0, 0, 0, 5, 9};

  private final Random random;
  private long seq;
  private long now = 1_700_000_000_000L;
  private int batches;
  private final List<Rows.BatchName> named = new ArrayList<>();

  RandomWork(long seed) {
    this.random = new Random(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  /** One change, of any kind. */
  void step(List<Rows> all) {
    now += random.nextInt(50);
    Rows first = all.get(0);
    if (first.queues().size() < QUEUES) {
      String name = "queue-" + first.queues().size();
      all.forEach(rows -> rows.addQueue(name, 0));
    }
    int queue = 1 + random.nextInt(first.queues().size());
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> insert(queue, all);
      case 3, 4 -> lease(queue, all);
      case 5, 6, 7 -> delete(EventState.LEASED, queue, all);
      case 8 -> refuse(queue, all);
      case 9 -> markDead(queue, all);
      case 10 -> change(queue, all);
      default -> rest(queue, all);
    }
  }

  private void insert(int queue, List<Rows> all) {
    List<Rows.Row> fresh = new ArrayList<>();
    for (int count = 1 + random.nextInt(20); count > 0; count--) {
      byte[] data = "x".repeat(random.nextInt(300)).getBytes(StandardCharsets.UTF_8);
      int priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
      long delay = random.nextInt(6) == 0 ? 1_000 : 0;
      String attributes = random.nextInt(3) == 0 ? "{\"é\":\"" + seq + "\"}" : null;
      seq += 1 + random.nextInt(3) / 2;
      NewEvent event = new NewEvent("id-" + seq, data, attributes, priority, delay);
      fresh.add(new Rows.Row(DeliveryState.fresh(seq, queue, event, now), event));
    }
    all.forEach(rows -> rows.insert(fresh));
  }

  private void lease(int queue, List<Rows> all) {
    List<DeliveryState> leased =
        all.get(0).ready(queue, null, 1 + random.nextInt(30)).stream()
            .map(row -> row.delivery().leased(7, now, 30_000, random.nextBoolean()))
            .toList();
    all.forEach(rows -> rows.update(EventState.READY, leased));
  }

  private void refuse(int queue, List<Rows> all) {
    List<DeliveryState> back =
        some(EventState.LEASED, queue, all).stream()
            .map(
                delivery ->
                    random.nextBoolean()
                        ? delivery.charged(true, 1, 0).in(EventState.READY, now, 0)
                        : delivery.in(EventState.DELAYED, now, 500))
            .toList();
    all.forEach(rows -> rows.update(EventState.LEASED, back));
  }

  private void markDead(int queue, List<Rows> all) {
    List<DeliveryState> dead =
        some(EventState.LEASED, queue, all).stream()
            .map(delivery -> delivery.in(EventState.DEAD, now, 0))
            .toList();
    String reason = random.nextInt(4) == 0 ? null : "exit status " + random.nextInt(5);
    all.forEach(rows -> rows.markDead(EventState.LEASED, dead, reason, now));
  }

  private void change(int queue, List<Rows> all) {
    EventState from = random.nextBoolean() ? EventState.DELAYED : EventState.DEAD;
    if (random.nextInt(3) == 0) {
      delete(random.nextBoolean() ? EventState.READY : EventState.DEAD, queue, all);
      return;
    }
    List<DeliveryState> ready =
        some(from, queue, all).stream()
            .map(delivery -> delivery.in(EventState.READY, random.nextBoolean() ? now : 0, 0))
            .toList();
    all.forEach(rows -> rows.update(from, ready));
  }

  private void delete(EventState state, int queue, List<Rows> all) {
    List<DeliveryState> done = some(state, queue, all);
    all.forEach(rows -> rows.delete(state, done));
  }

  private void rest(int queue, List<Rows> all) {
    Rows.BatchName batch = new Rows.BatchName(queue, "batch-" + batches++);
    named.add(batch);
    // Fewer than are added, so that names gather and a limit is reached.
    int forgotten = random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0;
    long old = all.get(0).firstBatch() - 1 + forgotten;
    List<Long> delays = new ArrayList<>(SegmentTotals.NONE.delays());
    delays.set(random.nextInt(delays.size()), (long) random.nextInt(1_000));
    SegmentTotals totals =
        new SegmentTotals(
            random.nextInt(100), 1, 2, 3, 4, 99, 5, 6, 7, 8, random.nextInt(100), 9, 0, 1, delays);
    for (Rows rows : all) {
      rows.addBatch(batch, 1 + batches);
      rows.forgetBatches(old);
      rows.saveTotals(queue, totals);
    }
  }

  private List<DeliveryState> some(EventState state, int queue, List<Rows> all) {
    List<DeliveryState> there =
        new ArrayList<>(
            all.get(0).in(queue, state, 0, MANY).stream().map(Rows.Row::delivery).toList());
    Collections.shuffle(there, random);
    return there.stream().limit(random.nextInt(40)).toList();
  }

  /** Everything that can be read from the tables now. */
  List<String> picture(Rows rows) {
    return picture(rows, seq / 2);
  }

  /** Everything that can be read from the tables, as text; some of it from a number on. */
  List<String> picture(Rows rows, long from) {
    List<String> lines = new ArrayList<>();
    lines.add("queues " + new java.util.TreeMap<>(rows.queues()));
    lines.add("totals " + new java.util.TreeMap<>(rows.totals()));
    lines.add("held " + rows.held().stream().map(DeliveryState::toString).sorted().toList());
    // Only names that are there: pictures of one state are equal, whatever was added since.
    lines.add(
        "names "
            + named.stream()
                .filter(name -> rows.batch(name) > 0)
                .map(name -> name + "=" + rows.batch(name))
                .toList());
    lines.add("batches " + rows.firstBatch() + " to " + rows.lastBatch());
    for (int queue : rows.queues().values()) {
      lines.add("oldest " + queue + " " + rows.oldestReady(queue));
      List<Rows.Row> ready = rows.ready(queue, null, MANY);
      ready.forEach(row -> lines.add("ready " + text(row)));
      if (!ready.isEmpty()) {
        DeliveryState middle = ready.get(ready.size() / 2).delivery();
        rows.ready(queue, middle, 10).forEach(row -> lines.add("after " + text(row)));
      }
      for (EventState state : EventState.values()) {
        List<Rows.Row> there = rows.in(queue, state, 0, MANY);
        there.forEach(row -> lines.add("in " + text(row)));
        rows.in(queue, state, from, 3).forEach(row -> lines.add("behind " + text(row)));
        List<Long> odd =
            Stream.concat(there.stream().map(row -> row.delivery().seq()), Stream.of(2 * from + 5))
                .filter(number -> number % 2 == 1)
                .toList();
        rows.find(queue, state, odd).stream()
            .map(row -> "found " + text(row))
            .sorted()
            .forEach(lines::add);
      }
      for (Rows.DeadRow dead : rows.dead(queue, Long.MAX_VALUE, MANY)) {
        lines.add("dead " + text(new Rows.Row(dead.delivery(), dead.event())));
        lines.add("of " + dead.reason() + " at " + dead.diedAt());
      }
      rows.dead(queue, from, 2).forEach(dead -> lines.add("before " + dead.delivery()));
    }
    return lines;
  }

  private static String text(Rows.Row row) {
    return row.delivery()
        + row.event().id()
        + row.event().attributes()
        + row.event().priority()
        + row.event().text().hashCode();
  }
}
