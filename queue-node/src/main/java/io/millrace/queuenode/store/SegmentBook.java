package io.millrace.queuenode.store;

import java.util.HashMap;
import java.util.Map;

/** What a log store holds besides events. One thread; changes can be undone. */
final class SegmentBook {
  private final UndoList undo;
  private final Map<String, Integer> queues = new HashMap<>();
  private final Map<Integer, Integer> versions = new HashMap<>();
  private final Map<Integer, SegmentTotals> totals = new HashMap<>();
  private final RememberedBatches batches;
  private long term;

  SegmentBook(UndoList undo, RememberedBatches batches) {
    this.undo = undo;
    this.batches = batches;
  }

  long term() {
    return term;
  }

  void setTerm(long next) {
    long before = term;
    term = next;
    undo.add(() -> term = before);
  }

  Map<String, Integer> queues() {
    return queues;
  }

  /** The versions of the definitions under which the segments began, by the queue's number. */
  Map<Integer, Integer> versions() {
    return versions;
  }

  /** The number of the next queue: a removed one's may be in the names that are remembered. */
  int nextNumber() {
    int highest = queues.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return Math.max(highest, batches.highestQueue()) + 1;
  }

  /** Adds a queue; the version is 0 if it is unknown. */
  void addQueue(String name, int number, int version) {
    undo.set(queues, name, number);
    setVersion(number, version);
  }

  void setVersion(int number, int version) {
    undo.set(versions, number, version == 0 ? null : version);
  }

  void removeQueue(String name, int number) {
    undo.set(queues, name, null);
    undo.set(versions, number, null);
    undo.set(totals, number, null);
  }

  Map<Integer, SegmentTotals> totals() {
    return totals;
  }

  SegmentTotals totals(int queue) {
    return totals.getOrDefault(queue, SegmentTotals.NONE);
  }

  void setTotals(int queue, SegmentTotals figures) {
    undo.set(totals, queue, figures);
  }

  /** The batch names remembered, which undo their own changes. */
  RememberedBatches batches() {
    return batches;
  }
}
