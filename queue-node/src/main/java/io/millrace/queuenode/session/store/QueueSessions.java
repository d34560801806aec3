package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition.SessionOrder;
import io.millrace.api.session.SlotTable;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.store.UndoList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** All that the store has of one queue. One thread; changes can be undone. */
final class QueueSessions {
  private static final int BATCHES = 4;
  // More are not counted.
  private static final int MOST_FULL = 1_000;

  /** What is counted; the order is part of the format. */
  enum Figure {
    // Written when they have changed.
    DUPLICATES(0),
    REFUSED(1),
    LATE(2),
    SKIPPED(3),
    STALE(4),
    FORGOTTEN(5),
    DELIVERED(6),
    DELIVERED_BYTES(7),
    FAILED(8),
    // Those from here on follow from the records of what has changed them.
    OPENED(9),
    COMPLETED(10),
    HANDOVERS(11),
    INSERTED(12),
    INSERTED_BYTES(13),
    ACKNOWLEDGED(14),
    RETURNED(15),
    DROPPED(16),
    BYTES(17),
    WAITING(18),
    LEASED(19),
    SESSIONS(20),
    ASSIGNED(21),
    PARKED(22),
    REMEMBERED(23);

    /** How many are written when they have changed. */
    static final int WRITTEN = OPENED.place;

    private static final Figure[] ALL = values();

    private final int place;

    Figure(int place) {
      this.place = place;
    }

    /** Where it is among all. */
    int place() {
      return place;
    }

    static Figure at(int place) {
      return ALL[place];
    }
  }

  private final int number;
  private final String name;
  private final int version;
  private final UndoList undo;
  private final SlotSessions[] slots = new SlotSessions[SlotTable.SLOTS];
  private final SessionAssignment assignment;
  private final Roaring64Bitmap remembered = new Roaring64Bitmap();
  private final long[] figures = new long[Figure.values().length];
  private final long[] committed = new long[figures.length];
  // Of this process: what callers said last.
  private DeliveryRules rules;
  private int highestVersion;
  private boolean slotsCounted;
  private int owned;
  private int waiting;
  private int lookedAt;
  private final Set<Session> full = new LinkedHashSet<>();
  private long oldestSeq;
  private long oldestAt;

  QueueSessions(int number, String name, int version, UndoList undo) {
    this.number = number;
    this.name = name;
    this.version = version;
    this.highestVersion = version;
    this.undo = undo;
    this.assignment = new SessionAssignment(undo);
  }

  int number() {
    return number;
  }

  String name() {
    return name;
  }

  /** Of the definition under which it began. */
  int version() {
    return version;
  }

  /** The latest version of its definition under which slots were taken since the opening. */
  int highestVersion() {
    return highestVersion;
  }

  void useVersion(int used) {
    highestVersion = Math.max(highestVersion, used);
  }

  SessionAssignment assignment() {
    return assignment;
  }

  /** A slot; null if nothing is known of it. */
  SlotSessions slot(int slot) {
    return slots[slot];
  }

  /** A slot, also one of which nothing is known. */
  SlotSessions anySlot(int slot) {
    if (slots[slot] == null) {
      slots[slot] = new SlotSessions(this, slot, undo);
    }
    return slots[slot];
  }

  /** Notes that a slot has changed in what is counted of it. */
  void slotChanged() {
    slotsCounted = false;
  }

  private void countSlots() {
    if (!slotsCounted) {
      slotsCounted = true;
      owned = 0;
      waiting = 0;
      forEachSlot(
          slot -> {
            owned += slot.epoch() > 0 ? 1 : 0;
            waiting += slot.waits() ? 1 : 0;
          });
    }
  }

  /** How many slots the node has. */
  int ownedSlots() {
    countSlots();
    return owned;
  }

  /** How many slots wait for the events of earlier owners. */
  int waitingSlots() {
    countSlots();
    return waiting;
  }

  /** Sessions of which events were refused as they have too many; of this process. */
  Set<Session> full() {
    return full;
  }

  /** Notes that events of a session are refused as it has too many. */
  void noteFull(Session session) {
    if (full.size() < MOST_FULL) {
      full.add(session);
    }
  }

  /** Forgets those that have ended, or have room again. */
  void lookAtFull() {
    full.removeIf(
        one ->
            one.kept() < assignment.rules().maxPerKey()
                || one.slot().sessions().get(one.key()) != one);
  }

  /** Each slot in turn; null for one of which nothing is known. */
  SlotSessions nextLookedAt() {
    lookedAt = (lookedAt + 1) % slots.length;
    return slots[lookedAt];
  }

  void forEachSlot(Consumer<SlotSessions> visitor) {
    for (SlotSessions slot : slots) {
      if (slot != null) {
        visitor.accept(slot);
      }
    }
  }

  /** The rows of remembered keys that may be forgotten, the oldest first. */
  Roaring64Bitmap remembered() {
    return remembered;
  }

  /** When the oldest remembered key was completed, which is read once for each. */
  long oldestRemembered(LongUnaryOperator read) {
    long first = remembered.first();
    if (first != oldestSeq) {
      oldestSeq = first;
      oldestAt = read.applyAsLong(first);
    }
    return oldestAt;
  }

  void use(DeliveryRules changed) {
    rules = changed;
    assignment.use(changed.sessions());
  }

  /** How events are delivered; null if no caller has said it since the store was opened. */
  DeliveryRules rules() {
    return rules;
  }

  /** How many events of a session may be delivered and not acknowledged. */
  private long window() {
    boolean pipelined = rules != null && rules.sessions().order() == SessionOrder.PIPELINED;
    return pipelined ? (long) BATCHES * rules.batch() : 0;
  }

  /** Whether there is something of a session to deliver. */
  boolean hasDelivery(Session session) {
    return deliverable(session) > 0
        || (session.unknownToWorker() && !session.revoked() && session.parked() == null);
  }

  /** How many more events of a session may be delivered now. */
  long deliverable(Session session) {
    if (session.worker() == null || session.slot().blocked() || session.revoked()) {
      return 0;
    }
    if (session.parked() != null) {
      return 0;
    }
    long left = session.accepted() - session.delivered();
    long underway = session.delivered() - session.done();
    long window = window();
    if (window == 0) {
      return underway > 0 ? 0 : left;
    }
    return Math.min(left, Math.max(0, window - underway));
  }

  void add(Figure figure, long more) {
    figures[figure.place] += more;
  }

  long figure(Figure figure) {
    return figures[figure.place];
  }

  /** Sessions without a worker that do not wait for an operator. */
  long unassigned() {
    return figure(Figure.SESSIONS) - figure(Figure.ASSIGNED) - figure(Figure.PARKED);
  }

  /** All figures, in their order. */
  long[] figures() {
    return figures;
  }

  long[] committedFigures() {
    return committed;
  }

  boolean figuresChanged() {
    return !Arrays.equals(figures, committed);
  }

  void commit() {
    System.arraycopy(figures, 0, committed, 0, figures.length);
  }

  void rollback() {
    System.arraycopy(committed, 0, figures, 0, figures.length);
  }
}
