package io.millrace.queuenode.session.store;

import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.queuenode.session.store.SessionList.Kind;
import io.millrace.queuenode.store.UndoList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sessions and remembered keys of one slot of a queue. One thread; changes can be undone. */
final class SlotSessions {
  static final int MOST_DRAINED = 64;

  private final UndoList undo;
  private final QueueSessions queue;
  private final int number;
  private final KeyTable sessions;
  private final RowTable remembered;
  private final SessionList held;
  private final Map<String, SlotImport> imports = new LinkedHashMap<>();
  private Ownership ownership = Ownership.NONE;
  private List<String> drained = List.of();
  private int handovers;
  private int assigned;
  // Only of this process: after an opening it is unknown until the slot is granted again.
  private long holdUntil;
  private boolean holdKnown;

  SlotSessions(QueueSessions queue, int number, UndoList undo) {
    this.queue = queue;
    this.number = number;
    this.undo = undo;
    this.sessions = new KeyTable(undo);
    this.remembered = new RowTable(undo);
    this.held = new SessionList(Kind.PLACE, undo);
  }

  /**
   * How the node has the slot.
   *
   * @param epoch 0 if it does not have it
   * @param sealed whether it is to be given away
   * @param holding whether nothing is assigned as an earlier owner's workers may still be at work
   * @param waiting whether nothing is assigned until the events of earlier owners have arrived
   * @param undrained the earlier owners whose events are not merged, the earliest first: of some
   *     all may have arrived ({@link SlotImports#missing} has the others)
   */
  record Ownership(
      long epoch, boolean sealed, boolean holding, boolean waiting, List<String> undrained) {
    static final Ownership NONE = new Ownership(0, false, false, false, List.of());

    Ownership withSealed(boolean changed) {
      return new Ownership(epoch, changed, holding, waiting, undrained);
    }

    Ownership held() {
      return new Ownership(epoch, sealed, true, waiting, undrained);
    }

    Ownership released() {
      return new Ownership(epoch, sealed, false, waiting, undrained);
    }

    Ownership of(List<String> earlier, boolean wait) {
      return new Ownership(epoch, sealed, holding, wait, List.copyOf(earlier));
    }

    Ownership drained(String earlier) {
      List<String> left = new ArrayList<>(undrained);
      left.remove(earlier);
      return of(left, waiting);
    }
  }

  /** What has arrived of an earlier owner's sessions, and is not open here yet. */
  static final class SlotImport {
    private final String owner;
    private final long epoch;
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private List<String> contained = List.of();
    private int parts;
    private boolean complete;
    // Not known of what had arrived before the store was opened.
    private Sending sending;

    SlotImport(String owner, long epoch) {
      this.owner = owner;
      this.epoch = epoch;
    }

    /** Notes the attempt by which its parts come, before the first of them is stored. */
    void receive(Sending attempt) {
      sending = attempt;
    }

    /** Whether a part comes by the same attempt to send the same holding. */
    boolean belongsTo(SlotPage page) {
      return epoch == page.epoch() && page.sending().equals(sending);
    }

    String owner() {
      return owner;
    }

    /** What it is, among what others contain. */
    String holding() {
      return SlotPage.holding(owner, epoch);
    }

    /** Earlier holdings whose events are among these. */
    List<String> contained() {
      return contained;
    }

    void setContained(List<String> holdings, UndoList undo) {
      List<String> before = contained;
      contained = List.copyOf(holdings);
      undo.add(() -> contained = before);
    }

    /** Under which the earlier owner held the slot. */
    long epoch() {
      return epoch;
    }

    /** How many parts have arrived. */
    int parts() {
      return parts;
    }

    /** Whether all have. */
    boolean complete() {
      return complete;
    }

    void setParts(int arrived, boolean all, UndoList undo) {
      int before = parts;
      boolean beforeComplete = complete;
      parts = arrived;
      complete = all;
      undo.add(
          () -> {
            parts = before;
            complete = beforeComplete;
          });
    }

    Map<String, Session> sessions() {
      return sessions;
    }
  }

  QueueSessions queue() {
    return queue;
  }

  int number() {
    return number;
  }

  Ownership ownership() {
    return ownership;
  }

  long epoch() {
    return ownership.epoch;
  }

  boolean sealed() {
    return ownership.sealed;
  }

  void own(Ownership changed) {
    Ownership before = ownership;
    ownership = changed;
    queue.slotChanged();
    undo.add(
        () -> {
          ownership = before;
          queue.slotChanged();
        });
  }

  /** Whether it waits for the events of earlier owners. */
  boolean waits() {
    return ownership.waiting && !(ownership.undrained.isEmpty() && imports.isEmpty());
  }

  /** Whether nothing of it is assigned. */
  boolean blocked() {
    return ownership.sealed || ownership.holding || waits();
  }

  void hold(long until) {
    holdUntil = until;
    holdKnown = true;
  }

  /** Whether the time for which it was held has passed. */
  boolean heldLongEnough(long now) {
    return holdKnown && now - holdUntil >= 0;
  }

  /** The open ones. */
  KeyTable sessions() {
    return sessions;
  }

  RowTable remembered() {
    return remembered;
  }

  /** Sessions without a worker while nothing of the slot is assigned. */
  SessionList held() {
    return held;
  }

  /**
   * What has arrived and is not merged: under the name of its owner what it sends now, and under a
   * {@linkplain io.millrace.api.session.SlotPage#holding holding} what was set aside as a whole
   * when its owner got the slot again.
   */
  Map<String, SlotImport> imports() {
    return imports;
  }

  /**
   * Earlier holdings of the slot whose events it has; those of this node without its name. They
   * stay under later epochs, as an earlier owner that did not get the answer sends its copy again.
   */
  List<String> drained() {
    return drained;
  }

  void addDrained(List<String> holdings) {
    List<String> changed = new ArrayList<>(drained);
    changed.removeAll(holdings);
    changed.addAll(holdings);
    setDrained(
        changed.size() > MOST_DRAINED
            ? changed.subList(changed.size() - MOST_DRAINED, changed.size())
            : changed);
  }

  void setDrained(List<String> holdings) {
    List<String> before = drained;
    drained = List.copyOf(holdings);
    undo.add(() -> drained = before);
  }

  /** The highest handover of the sessions that were removed under this epoch. */
  int handovers() {
    return handovers;
  }

  void raiseHandovers(int to) {
    int before = handovers;
    handovers = Math.max(handovers, to);
    undo.add(() -> handovers = before);
  }

  void setHandovers(int to) {
    int before = handovers;
    handovers = to;
    undo.add(() -> handovers = before);
  }

  /** How many of its sessions have a worker. */
  int assigned() {
    return assigned;
  }

  void addAssigned(int more) {
    assigned += more;
    undo.add(() -> assigned -= more);
  }

  boolean isEmpty() {
    return sessions.size() == 0 && remembered.size() == 0 && imports.isEmpty();
  }
}
