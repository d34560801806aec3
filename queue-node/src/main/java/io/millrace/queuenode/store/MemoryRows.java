package io.millrace.queuenode.store;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables of a store in memory, with undo. One thread at a time. */
final class MemoryRows implements Rows {
  private record Kept(Row row, String reason, long diedAt) {}

  private final TreeMap<Long, Kept> events = new TreeMap<>();
  private final Map<String, Integer> queues = new HashMap<>();
  private final Map<Integer, SegmentTotals> totals = new HashMap<>();
  private final Map<BatchName, Integer> batches = new LinkedHashMap<>();
  private final Deque<Runnable> undo = new ArrayDeque<>();
  private long term;

  @Override
  public long raiseTerm() {
    return ++term;
  }

  @Override
  public long lastSeq() {
    return events.isEmpty() ? 0 : events.lastKey();
  }

  @Override
  public Map<String, Integer> queues() {
    return Map.copyOf(queues);
  }

  @Override
  public Map<Integer, SegmentTotals> totals() {
    return Map.copyOf(totals);
  }

  @Override
  public List<Standing> held() {
    return events.values().stream()
        .map(kept -> kept.row().standing())
        .filter(
            standing ->
                standing.state() == EventState.LEASED || standing.state() == EventState.DELAYED)
        .toList();
  }

  @Override
  public List<BatchName> batches() {
    return List.copyOf(batches.keySet());
  }

  @Override
  public int addQueue(String name) {
    int number = queues.size() + 1;
    set(queues, name, number);
    return number;
  }

  @Override
  public void insert(List<Row> rows) {
    rows.forEach(row -> set(events, row.standing().seq(), new Kept(row, null, 0)));
  }

  @Override
  public List<Row> ready(int queue, long after, int limit) {
    return events.tailMap(after, false).values().stream()
        .map(Kept::row)
        .filter(row -> is(row.standing(), queue, EventState.READY))
        .limit(limit)
        .toList();
  }

  @Override
  public long oldestReady(int queue) {
    return ready(queue, 0, 1).stream().mapToLong(row -> row.standing().storedAt()).sum();
  }

  @Override
  public void update(EventState expected, List<Standing> standings) {
    standings.forEach(standing -> replace(expected, standing, null, 0));
  }

  @Override
  public void bury(List<Standing> standings, String reason, long diedAt) {
    standings.forEach(standing -> replace(EventState.LEASED, standing, reason, diedAt));
  }

  private void replace(EventState expected, Standing next, String reason, long diedAt) {
    Kept old = expect(expected, next.seq());
    set(events, next.seq(), new Kept(new Row(next, old.row().event()), reason, diedAt));
  }

  @Override
  public void delete(List<Standing> leased) {
    for (Standing standing : leased) {
      expect(EventState.LEASED, standing.seq());
      unset(events, standing.seq());
    }
  }

  private Kept expect(EventState expected, long seq) {
    Kept old = events.get(seq);
    if (old == null || old.row().standing().state() != expected) {
      throw new IllegalStateException("event " + seq + " is not " + expected);
    }
    return old;
  }

  @Override
  public List<DeadRecord> dead(int queue, int limit) {
    List<DeadRecord> dead = new ArrayList<>();
    for (Kept kept : events.descendingMap().values()) {
      Standing standing = kept.row().standing();
      if (dead.size() < limit && is(standing, queue, EventState.DEAD)) {
        dead.add(
            new DeadRecord(
                kept.row().event(),
                standing.failures(),
                standing.returns(),
                kept.reason(),
                Instant.ofEpochMilli(kept.diedAt())));
      }
    }
    return dead;
  }

  @Override
  public int batch(BatchName batch) {
    return batches.getOrDefault(batch, 0);
  }

  @Override
  public void addBatch(BatchName batch, int size) {
    set(batches, batch, size);
  }

  @Override
  public void removeBatches(List<BatchName> old) {
    old.forEach(batch -> unset(batches, batch));
  }

  @Override
  public void saveTotals(int queue, SegmentTotals figures) {
    set(totals, queue, figures.withOldest(0));
  }

  @Override
  public void commit() {
    undo.clear();
  }

  @Override
  public void rollback() {
    while (!undo.isEmpty()) {
      undo.pop().run();
    }
  }

  @Override
  public void force() {
    // Memory has no disk.
  }

  @Override
  public void close() {
    rollback();
  }

  private static boolean is(Standing standing, int queue, EventState state) {
    return standing.queue() == queue && standing.state() == state;
  }

  private <K, V> void set(Map<K, V> map, K key, V value) {
    V before = map.put(key, value);
    undo.push(() -> restore(map, key, before));
  }

  private <K, V> void unset(Map<K, V> map, K key) {
    V before = map.remove(key);
    undo.push(() -> restore(map, key, before));
  }

  private static <K, V> void restore(Map<K, V> map, K key, V before) {
    if (before == null) {
      map.remove(key);
    } else {
      map.put(key, before);
    }
  }
}
