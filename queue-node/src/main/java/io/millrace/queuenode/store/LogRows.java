package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.DeliveryState.DeliveryStateCodec.EventCodec;
import io.millrace.queuenode.store.EventIndex.DeadLetterInfo;
import io.millrace.queuenode.store.LogReads.RecentRows;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.EventLog;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import io.millrace.queuenode.store.log.GroupBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The tables of a store as an append-only log with an index in memory: a commit is one write, a
 * force is one fsync, and a ready event that was never delivered costs about two bytes of memory or
 * less, however large it is; one that is leased, delayed, dead or was delivered before some hundred
 * bytes.
 */
final class LogRows implements Rows {
  private final StoreFolder folder;
  private final UndoList undo = new UndoList();
  private final EventIndex events = new EventIndex(undo);
  private final SegmentBook book;
  private final RecentRows recent = new RecentRows();
  private final List<Long> finished = new ArrayList<>();
  private final EventLog log;
  private final LogReads reads;
  private boolean broken;

  /**
   * Opens the log; takes the folder's lock, which is freed by {@link #close}. Blocks.
   *
   * @param rememberedBatches the most batch names remembered
   */
  LogRows(StoreFolder folder, Disk disk, LogSettings settings, int rememberedBatches)
      throws IOException {
    this.folder = folder;
    this.book = new SegmentBook(undo, new RememberedBatches(rememberedBatches));
    this.log = EventLog.open(disk, settings, new StoreReplay(events, book, undo));
    book.batches().opened();
    this.reads = new LogReads(log, events, recent);
  }

  /** Forced, so that no receipt of this opening can be one of a later opening. */
  @Override
  public long raiseTerm() {
    book.setTerm(book.term() + 1);
    LogRecords.term(log.group(), book.term());
    commit();
    force();
    return book.term();
  }

  @Override
  public void raiseTermTo(long floor) {
    if (floor > book.term()) {
      book.setTerm(floor);
      LogRecords.term(log.group(), floor);
      commit();
      force();
    }
  }

  @Override
  public long lastSeq() {
    return events.lastSeq();
  }

  @Override
  public Map<String, Integer> queues() {
    return Map.copyOf(book.queues());
  }

  @Override
  public Map<Integer, SegmentTotals> totals() {
    return Map.copyOf(book.totals());
  }

  @Override
  public List<DeliveryState> held() {
    return events.deliveries().values().stream()
        .filter(
            delivery ->
                delivery.state() == EventState.LEASED || delivery.state() == EventState.DELAYED)
        .toList();
  }

  @Override
  public Map<Integer, Integer> versions() {
    return Map.copyOf(book.versions());
  }

  @Override
  public int addQueue(String name, int version) {
    int number = book.nextNumber();
    book.addQueue(name, number, version);
    LogRecords.queue(log.group(), name, number, version);
    return number;
  }

  @Override
  public void removeQueue(String name, int number) {
    book.removeQueue(name, number);
    events.removeQueue(number);
    LogRecords.removedQueue(log.group(), name, number);
  }

  @Override
  public void insert(List<Row> rows) {
    if (rows.isEmpty()) {
      return;
    }
    DeliveryState first = rows.get(0).delivery();
    byte[] common = EventCodec.common(first);
    GroupBuffer group = log.group();
    for (Row row : rows) {
      events.insert(row.delivery());
      ByteWriter writer = group.beginEvent(common, row.delivery().seq());
      EventCodec.write(writer, row, first);
      group.endEvent();
      recent.add(row);
    }
  }

  @Override
  public List<Row> ready(int queue, DeliveryState after, int limit) {
    return reads.rows(queue, events.queue(queue).ready(after, limit));
  }

  @Override
  public long oldestReady(int queue) {
    return reads.oldestReady(queue);
  }

  @Override
  public List<Row> in(int queue, EventState state, long afterSeq, int limit) {
    return reads.rows(queue, events.queue(queue).in(state, afterSeq, limit));
  }

  @Override
  public List<Row> find(int queue, EventState state, List<Long> seqs) {
    QueueSets sets = events.queue(queue);
    long[] there =
        seqs.stream()
            .mapToLong(Long::longValue)
            .distinct()
            .filter(seq -> seq > 0 && sets.contains(state, seq))
            .toArray();
    return reads.rows(queue, there);
  }

  @Override
  public void update(EventState expected, List<DeliveryState> deliveries) {
    if (deliveries.isEmpty()) {
      return;
    }
    deliveries.forEach(delivery -> events.change(expected, delivery, null));
    LogRecords.change(log.group(), expected, deliveries);
  }

  @Override
  public void markDead(
      EventState expected, List<DeliveryState> deliveries, String reason, long diedAt) {
    if (deliveries.isEmpty()) {
      return;
    }
    DeadLetterInfo deadLetter = new DeadLetterInfo(reason, diedAt);
    deliveries.forEach(delivery -> events.change(expected, delivery, deadLetter));
    LogRecords.deadLetter(log.group(), expected, deliveries, deadLetter);
  }

  @Override
  public void delete(EventState expected, List<DeliveryState> deliveries) {
    if (deliveries.isEmpty()) {
      return;
    }
    for (DeliveryState delivery : deliveries) {
      events.remove(expected, delivery);
      finished.add(delivery.seq());
    }
    LogRecords.removal(log.group(), expected, deliveries);
  }

  @Override
  public List<DeadRow> dead(int queue, long beforeSeq, int limit) {
    List<Row> rows = reads.rows(queue, events.queue(queue).deadBefore(beforeSeq, limit));
    return rows.stream()
        .map(
            row -> {
              DeadLetterInfo deadLetter = events.deadLetter(row.delivery().seq());
              return new DeadRow(
                  row.delivery(), row.event(), deadLetter.reason(), deadLetter.diedAt());
            })
        .toList();
  }

  @Override
  public int batch(BatchName batch) {
    return book.batches().events(batch);
  }

  @Override
  public void addBatch(BatchName batch, int size) {
    book.batches().add(batch, size);
    LogRecords.batch(log.group(), batch, size);
  }

  @Override
  public long firstBatch() {
    return book.batches().first();
  }

  @Override
  public long lastBatch() {
    return book.batches().last();
  }

  @Override
  public void forgetBatches(long through) {
    book.batches().forget(through);
    LogRecords.forgotten(log.group(), through);
  }

  @Override
  public int shortenedQueue() {
    return book.batches().shortened();
  }

  @Override
  public BatchFigures batchFigures() {
    return book.batches().figures();
  }

  @Override
  public void saveTotals(int queue, SegmentTotals totals) {
    SegmentTotals figures = totals.withOldest(0);
    LogRecords.totals(log.group(), queue, figures, book.totals(queue));
    book.setTotals(queue, figures);
  }

  @Override
  public void commit() {
    if (!log.group().isEmpty()) {
      append();
    }
    undo.forget();
    book.batches().commit();
    recent.commit();
    for (long seq : finished) {
      log.finished(seq);
      recent.forget(seq);
    }
    finished.clear();
  }

  private void append() {
    try {
      log.append();
    } catch (IOException e) {
      if (isFull(e)) {
        throw new MillraceException(
            ErrorCode.DISK_FULL,
            "the disk of "
                + folder.path()
                + " is full, nothing was stored; free space or give this node a larger disk",
            e);
      }
      throw new StoreFailure("the log could not be written", e);
    }
  }

  /** Recognised only by the system's message. */
  private static boolean isFull(IOException e) {
    String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("no space left") || message.contains("quota exceeded");
  }

  @Override
  public void rollback() {
    undo.undo();
    book.batches().rollback();
    recent.rollback();
    finished.clear();
    log.group().clear();
  }

  /** Also takes a checkpoint if necessary, which may contain only what is on disk. */
  @Override
  public void force() {
    try {
      log.force();
      if (log.group().isEmpty() && log.checkpointDue()) {
        log.checkpoint(new StoreImage(events, book));
      }
    } catch (IOException e) {
      broken = true;
      throw new StoreFailure("the log could not be forced to disk", e);
    }
  }

  @Override
  public Optional<String> unreadable(int queue) {
    return reads.unreadable(queue);
  }

  @Override
  public long diskBytes() {
    return log.diskBytes();
  }

  @Override
  public void close() {
    try (folder) {
      rollback();
      log.close(broken ? null : new StoreImage(events, book));
    } catch (IOException e) {
      throw new StoreFailure("the log could not be closed", e);
    }
  }
}
