package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import io.millrace.queuenode.store.StoreFailure;
import io.millrace.queuenode.store.StoreFolder;
import io.millrace.queuenode.store.UndoList;
import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.EventLog;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The log of a store of sessions, and its transactions. Used by the writer's thread. */
final class SessionLog {
  private final StoreFolder folder;
  private final Clock clock;
  private final SessionBook book = new SessionBook(new UndoList());
  private final SessionChanges changes;
  private final SlotChanges slots;
  private final EventLog log;
  private final SessionRows rows;
  private final SessionRecords records;
  private volatile Map<String, SessionSnapshot> snapshots = Map.of();
  private boolean broken;
  private boolean closed;

  private SessionLog(StoreFolder folder, Disk disk, LogSettings settings, Clock clock)
      throws IOException {
    this.folder = folder;
    this.clock = clock;
    this.changes = new SessionChanges(book, clock);
    this.slots = new SlotChanges(changes);
    requireFiles(disk);
    this.log = EventLog.open(disk, settings, new SessionReplay(changes, slots));
    this.rows = new SessionRows(log, book);
    this.records = new SessionRecords(log.group());
  }

  static SessionLog open(StoreFolder folder, Disk disk, LogSettings settings, Clock clock)
      throws IOException {
    SessionLog opened = new SessionLog(folder, disk, settings, clock);
    try {
      opened.begin();
    } catch (RuntimeException e) {
      opened.log.close(null);
      throw e;
    }
    return opened;
  }

  /** Existing content must not be mistaken for an empty store. */
  private void requireFiles(Disk disk) throws IOException {
    boolean any = disk.names(folder.path()).stream().anyMatch(name -> name.endsWith(".log"));
    if (!any && folder.isMarked()) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the sessions in "
              + folder.path()
              + " were opened before but their files are missing; restore them, or move the"
              + " folder away to start without sessions");
    }
  }

  private void begin() {
    book.endReplay();
    changes.writeTo(records, rows);
    slots.writeTo(records);
    for (QueueSessions queue : book.queues()) {
      book.touch(queue);
      for (SessionWorker worker : queue.assignment().workers()) {
        worker.reopened(clock.nanoTime());
      }
      queue.forEachSlot(slot -> slot.sessions().forEach(this::begin));
    }
    changes.setTerm(book.term() + 1);
    commit();
    force();
    folder.mark("This folder holds the sessions of a queue node, in a log.\n");
  }

  // What was delivered and is not acknowledged is delivered again.
  private void begin(Session session) {
    session.trim();
    changes.noteDelivery(session);
    book.undo().forget();
  }

  SessionChanges changes() {
    return changes;
  }

  SlotChanges slots() {
    return slots;
  }

  SessionRows rows() {
    return rows;
  }

  void commit() {
    for (QueueSessions queue : book.touched()) {
      if (book.queue(queue.name()) == queue) {
        records.figures(queue);
      }
    }
    if (!log.group().isEmpty()) {
      append();
    }
    snapshot();
    rows.commit();
    changes.history().commit();
    for (long seq : book.freed()) {
      log.finished(seq);
      rows.forget(seq);
    }
    book.commit();
  }

  private void snapshot() {
    if (book.touched().isEmpty()) {
      return;
    }
    Map<String, SessionSnapshot> changed = new TreeMap<>(snapshots);
    for (QueueSessions queue : book.touched()) {
      if (book.queue(queue.name()) == queue) {
        changed.put(queue.name(), SessionSnapshot.of(queue));
      } else if (book.queue(queue.name()) == null) {
        changed.remove(queue.name());
      }
    }
    snapshots = changed;
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
      throw new StoreFailure("the log of sessions could not be written", e);
    }
  }

  /** Recognised only by the system's message. */
  private static boolean isFull(IOException e) {
    String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("no space left") || message.contains("quota exceeded");
  }

  void rollback() {
    log.group().clear();
    book.rollback();
    rows.rollback();
    changes.history().rollback();
  }

  /** Also takes a checkpoint if necessary, which may contain only what is on disk. */
  void force() {
    try {
      log.force();
      if (log.group().isEmpty() && log.checkpointDue()) {
        log.checkpoint(new SessionImage(book));
      }
    } catch (IOException e) {
      broken = true;
      throw new StoreFailure("the log of sessions could not be forced to disk", e);
    }
  }

  Map<String, QueueFigures> figures() {
    long now = clock.nanoTime();
    Map<String, QueueFigures> figures = new TreeMap<>();
    snapshots.forEach((queue, snapshot) -> figures.put(queue, snapshot.at(now)));
    return figures;
  }

  long diskBytes() {
    return log.diskBytes();
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (folder) {
      rollback();
      log.close(broken ? null : new SessionImage(book));
    } catch (IOException e) {
      throw new StoreFailure("the log of sessions could not be closed", e);
    }
  }
}
