package io.millrace.queuenode.store;

import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The tables of a store in memory, with undo. One thread at a time. */
class MemoryRows implements Rows {
  private static final Comparator<NavigableMap<Long, BatchName>> BY_COUNT_THEN_AGE =
      Comparator.<NavigableMap<Long, BatchName>>comparingInt(Map::size)
          .thenComparing(NavigableMap::firstKey, Comparator.reverseOrder());

  private record Kept(Row row, String reason, long diedAt) {
    DeliveryState delivery() {
      return row.delivery();
    }
  }

  /** One queue's events by state, and the ready ones in the order of their leases. */
  private static final class Shelf {
    private final Map<EventState, NavigableMap<Long, Kept>> states =
        new EnumMap<>(EventState.class);
    private final TreeSet<DeliveryState> turn =
        new TreeSet<>(
            Comparator.comparingInt(DeliveryState::priority)
                .reversed()
                .thenComparingLong(DeliveryState::seq));

    NavigableMap<Long, Kept> in(EventState state) {
      return states.computeIfAbsent(state, none -> new TreeMap<>());
    }

    void add(Kept kept) {
      in(kept.delivery().state()).put(kept.delivery().seq(), kept);
      if (kept.delivery().state() == EventState.READY) {
        turn.add(kept.delivery());
      }
    }

    void remove(Kept kept) {
      in(kept.delivery().state()).remove(kept.delivery().seq());
      turn.remove(kept.delivery());
    }
  }

  private final Map<Integer, Shelf> shelves = new HashMap<>();
  private final Map<Long, Kept> events = new HashMap<>();
  private final Map<String, Integer> queues = new HashMap<>();
  private final Map<Integer, Integer> versions = new HashMap<>();
  private final Map<Integer, SegmentTotals> totals = new HashMap<>();
  private final Map<BatchName, Integer> batches = new HashMap<>();
  private final NavigableMap<Long, BatchName> batchOrder = new TreeMap<>();
  private final Map<Integer, NavigableMap<Long, BatchName>> batchesOf = new HashMap<>();
  private final int rememberedBatches;
  private final Deque<Runnable> undo = new ArrayDeque<>();
  private long term;
  private long lastSeq;
  private long lastBatch;
  private long forgottenEarly;
  private int shortened;
  private volatile BatchFigures batchFigures;

  MemoryRows(int rememberedBatches) {
    this.rememberedBatches = rememberedBatches;
    this.batchFigures = new BatchFigures(0, rememberedBatches, 0);
  }

  @Override
  public long raiseTerm() {
    return ++term;
  }

  @Override
  public void raiseTermTo(long floor) {
    term = Math.max(term, floor);
  }

  @Override
  public long lastSeq() {
    return lastSeq;
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
  public List<DeliveryState> held() {
    return events.values().stream()
        .map(Kept::delivery)
        .filter(
            delivery ->
                delivery.state() == EventState.LEASED || delivery.state() == EventState.DELAYED)
        .toList();
  }

  @Override
  public Map<Integer, Integer> versions() {
    return Map.copyOf(versions);
  }

  @Override
  public int addQueue(String name, int version) {
    // Above those of remembered batch names, which may be of a removed queue.
    int number =
        1
            + Stream.concat(
                    queues.values().stream(), batches.keySet().stream().map(BatchName::queue))
                .mapToInt(Integer::intValue)
                .max()
                .orElse(0);
    set(queues, name, number);
    set(versions, number, version);
    return number;
  }

  @Override
  public void removeQueue(String name, int number) {
    unset(queues, name);
    unset(versions, number);
    unset(totals, number);
  }

  @Override
  public void insert(List<Row> rows) {
    for (Row row : rows) {
      keep(new Kept(row, null, 0));
      lastSeq = Math.max(lastSeq, row.delivery().seq());
    }
  }

  @Override
  public List<Row> ready(int queue, DeliveryState after, int limit) {
    Shelf shelf = shelf(queue);
    TreeSet<DeliveryState> turn = shelf.turn;
    return (after == null ? turn : turn.tailSet(after, false))
        .stream()
            .limit(limit)
            .map(delivery -> shelf.in(EventState.READY).get(delivery.seq()).row())
            .toList();
  }

  @Override
  public long oldestReady(int queue) {
    NavigableMap<Long, Kept> ready = shelf(queue).in(EventState.READY);
    return ready.isEmpty() ? 0 : ready.firstEntry().getValue().delivery().storedAt();
  }

  @Override
  public List<Row> in(int queue, EventState state, long afterSeq, int limit) {
    return shelf(queue).in(state).tailMap(afterSeq, false).values().stream()
        .limit(limit)
        .map(Kept::row)
        .toList();
  }

  @Override
  public List<Row> find(int queue, EventState state, List<Long> seqs) {
    NavigableMap<Long, Kept> there = shelf(queue).in(state);
    return seqs.stream()
        .distinct()
        .map(there::get)
        .filter(Objects::nonNull)
        .map(Kept::row)
        .toList();
  }

  @Override
  public void update(EventState expected, List<DeliveryState> deliveries) {
    deliveries.forEach(delivery -> replace(expected, delivery, null, 0));
  }

  @Override
  public void markDead(
      EventState expected, List<DeliveryState> deliveries, String reason, long diedAt) {
    deliveries.forEach(delivery -> replace(expected, delivery, reason, diedAt));
  }

  private void replace(EventState expected, DeliveryState next, String reason, long diedAt) {
    Kept old = expect(expected, next.seq());
    discard(old);
    keep(new Kept(new Row(next, old.row().event()), reason, diedAt));
  }

  @Override
  public void delete(EventState expected, List<DeliveryState> deliveries) {
    deliveries.forEach(delivery -> discard(expect(expected, delivery.seq())));
  }

  private Kept expect(EventState expected, long seq) {
    Kept old = events.get(seq);
    if (old == null || old.delivery().state() != expected) {
      throw new IllegalStateException("event " + seq + " is not " + expected);
    }
    return old;
  }

  @Override
  public List<DeadRow> dead(int queue, long beforeSeq, int limit) {
    return shelf(queue)
        .in(EventState.DEAD)
        .headMap(beforeSeq, false)
        .descendingMap()
        .values()
        .stream()
        .limit(limit)
        .map(kept -> new DeadRow(kept.delivery(), kept.row().event(), kept.reason(), kept.diedAt()))
        .toList();
  }

  @Override
  public int batch(BatchName batch) {
    return batches.getOrDefault(batch, 0);
  }

  @Override
  public void addBatch(BatchName batch, int size) {
    set(batches, batch, size);
    lastBatch++;
    long number = lastBatch;
    list(number, batch);
    undo.push(
        () -> {
          unlist(number, batch);
          lastBatch--;
        });
    if (batchOrder.size() > rememberedBatches) {
      NavigableMap<Long, BatchName> most =
          batchesOf.values().stream().max(BY_COUNT_THEN_AGE).orElseThrow();
      shortened = most.firstEntry().getValue().queue();
      forgetBatch(most.firstKey());
      forgottenEarly++;
      undo.push(() -> forgottenEarly--);
    }
  }

  private void list(long number, BatchName batch) {
    batchOrder.put(number, batch);
    batchesOf.computeIfAbsent(batch.queue(), none -> new TreeMap<>()).put(number, batch);
  }

  private void unlist(long number, BatchName batch) {
    batchOrder.remove(number);
    batchesOf.get(batch.queue()).remove(number);
    batchesOf.values().removeIf(Map::isEmpty);
  }

  @Override
  public long firstBatch() {
    return batchOrder.isEmpty() ? lastBatch + 1 : batchOrder.firstKey();
  }

  @Override
  public long lastBatch() {
    return lastBatch;
  }

  @Override
  public void forgetBatches(long through) {
    while (!batchOrder.isEmpty() && firstBatch() <= through) {
      forgetBatch(firstBatch());
    }
  }

  private void forgetBatch(long number) {
    BatchName batch = batchOrder.get(number);
    unlist(number, batch);
    unset(batches, batch);
    undo.push(() -> list(number, batch));
  }

  @Override
  public int shortenedQueue() {
    return shortened;
  }

  @Override
  public BatchFigures batchFigures() {
    return batchFigures;
  }

  @Override
  public void saveTotals(int queue, SegmentTotals figures) {
    set(totals, queue, figures.withOldest(0));
  }

  @Override
  public void commit() {
    undo.clear();
    batchFigures = new BatchFigures(batchOrder.size(), rememberedBatches, forgottenEarly);
  }

  @Override
  public void rollback() {
    while (!undo.isEmpty()) {
      undo.pop().run();
    }
    shortened = 0;
  }

  @Override
  public void force() {
    // Memory has no disk.
  }

  @Override
  public Optional<String> unreadable(int queue) {
    return Optional.empty();
  }

  @Override
  public long diskBytes() {
    return 0;
  }

  @Override
  public void close() {
    rollback();
  }

  private Shelf shelf(int queue) {
    return shelves.computeIfAbsent(queue, number -> new Shelf());
  }

  private void keep(Kept kept) {
    add(kept);
    undo.push(() -> remove(kept));
  }

  private void discard(Kept kept) {
    remove(kept);
    undo.push(() -> add(kept));
  }

  private void add(Kept kept) {
    events.put(kept.delivery().seq(), kept);
    shelf(kept.delivery().queue()).add(kept);
  }

  private void remove(Kept kept) {
    events.remove(kept.delivery().seq());
    shelf(kept.delivery().queue()).remove(kept);
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
