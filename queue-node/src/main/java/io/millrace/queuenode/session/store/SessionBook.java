package io.millrace.queuenode.session.store;

import io.millrace.queuenode.store.UndoList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * All that a store of sessions has in memory: its queues, and which rows of the log are live. One
 * thread; changes can be undone.
 */
final class SessionBook {
  private final UndoList undo;
  private final Map<String, QueueSessions> queues = new TreeMap<>();
  private final Map<Integer, QueueSessions> numbers = new HashMap<>();
  private final Set<QueueSessions> touched = new LinkedHashSet<>();
  private final List<Long> freed = new ArrayList<>();
  private Roaring64Bitmap live = new Roaring64Bitmap();
  // While the log is replayed; null later.
  private Map<Long, Session> replayed = new HashMap<>();
  private long term;
  private long lastSeq;
  private long lastSerial;
  private int lastNumber;

  SessionBook(UndoList undo) {
    this.undo = undo;
  }

  UndoList undo() {
    return undo;
  }

  long term() {
    return term;
  }

  void setTerm(long next) {
    long before = term;
    term = next;
    undo.add(() -> term = before);
  }

  /** A queue of which something is stored; null if there is none. */
  QueueSessions queue(String name) {
    return queues.get(name);
  }

  /** A queue by its number, which is known. */
  QueueSessions queue(int number) {
    QueueSessions queue = numbers.get(number);
    if (queue == null) {
      throw new IllegalStateException("the log has no queue " + number);
    }
    return queue;
  }

  Collection<QueueSessions> queues() {
    return queues.values();
  }

  int lastNumber() {
    return lastNumber;
  }

  void setLastNumber(int number) {
    lastNumber = Math.max(lastNumber, number);
  }

  void add(QueueSessions queue) {
    undo.set(queues, queue.name(), queue);
    undo.set(numbers, queue.number(), queue);
    setLastNumber(queue.number());
  }

  void remove(QueueSessions queue) {
    undo.set(queues, queue.name(), null);
    undo.set(numbers, queue.number(), null);
  }

  /** Notes that figures of a queue may change in this transaction. */
  void touch(QueueSessions queue) {
    touched.add(queue);
  }

  Set<QueueSessions> touched() {
    return touched;
  }

  /** The highest sequence number ever used. */
  long lastSeq() {
    return lastSeq;
  }

  void useSeq(long seq) {
    lastSeq = Math.max(lastSeq, seq);
  }

  /** A serial number for a new session; numbers of undone transactions are not used again. */
  long nextSerial() {
    return ++lastSerial;
  }

  long lastSerial() {
    return lastSerial;
  }

  void useSerial(long serial) {
    lastSerial = Math.max(lastSerial, serial);
  }

  /** The rows that are still needed. */
  Roaring64Bitmap live() {
    return live;
  }

  void restoreLive(Roaring64Bitmap rows) {
    live = rows;
  }

  void addLive(long seq) {
    useSeq(seq);
    live.addLong(seq);
    undo.add(() -> live.removeLong(seq));
  }

  /** Notes that rows are no longer needed. */
  void free(long... seqs) {
    for (long seq : seqs) {
      live.removeLong(seq);
      freed.add(seq);
    }
    undo.add(
        () -> {
          for (long seq : seqs) {
            live.addLong(seq);
          }
        });
  }

  /** The rows freed in this transaction. */
  List<Long> freed() {
    return freed;
  }

  void replayed(Session session) {
    useSerial(session.serial());
    if (replayed != null) {
      replayed.put(session.serial(), session);
    }
  }

  void forgetReplayed(Session session) {
    if (replayed != null) {
      replayed.remove(session.serial());
    }
  }

  /** A session by its serial number, while the log is replayed. */
  Session session(long serial) {
    Session session = replayed.get(serial);
    if (session == null) {
      throw new IllegalStateException("the log has no session " + serial);
    }
    return session;
  }

  void endReplay() {
    replayed = null;
  }

  void commit() {
    undo.forget();
    touched.forEach(QueueSessions::commit);
    touched.clear();
    freed.clear();
  }

  void rollback() {
    undo.undo();
    touched.forEach(QueueSessions::rollback);
    touched.clear();
    freed.clear();
  }
}
