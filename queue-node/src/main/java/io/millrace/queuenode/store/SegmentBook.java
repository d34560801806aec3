package io.millrace.queuenode.store;

import java.util.HashMap;
import java.util.Map;

/** What a log store holds besides events. One thread; changes can be undone. */
final class SegmentBook {
  private final UndoList undo;
  private final Map<String, Integer> queues = new HashMap<>();
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

  void addQueue(String name, int number) {
    undo.set(queues, name, number);
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
