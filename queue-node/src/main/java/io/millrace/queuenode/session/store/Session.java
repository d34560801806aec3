package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionNumber;
import io.millrace.queuenode.session.store.SessionList.Kind;
import io.millrace.queuenode.store.UndoList;
import java.util.Arrays;

/**
 * The events of one key from the first one to the completion. A million of them are open at a time,
 * so that it is its own entry in the lists it is in, and what few sessions have is in an object
 * beside it. One thread; changes can be undone.
 */
final class Session extends KeptEvents {
  /** Why it is revoked if that is unknown, as the log does not have it. */
  static final String ASKED_BACK = "it was asked back";

  private final SlotSessions slot;
  private final String key;
  private final long serial;
  private long openedAt;
  private long lastEventAt;
  private long epoch;
  private int handover;
  private boolean assignedBefore;
  // Why its worker is to give it back; null if it is not.
  private String revokedFor;
  // Whether its worker was told of it under the present number.
  private boolean introduced;
  private long accepted;
  private long acceptedBefore;
  private long acknowledged;
  private long start;
  private long done;
  private long delivered;
  private long deliveredAt;
  private long bytes;
  private Rare rare = Rare.NONE;
  private SessionWorker worker;
  private SessionList place;
  private Session placeBefore;
  private Session placeAfter;
  private SessionList ready;
  private Session readyBefore;
  private Session readyAfter;
  private SessionList outstanding;
  private Session outstandingBefore;
  private Session outstandingAfter;

  /**
   * A session without events.
   *
   * @param serial of its own among all sessions of the store
   * @param openedAt wall time in milliseconds
   */
  Session(SlotSessions slot, String key, long serial, long openedAt, SessionNumber number) {
    this.slot = slot;
    this.key = key;
    this.serial = serial;
    this.openedAt = openedAt;
    this.lastEventAt = openedAt;
    this.epoch = number.epoch();
    this.handover = number.handover();
  }

  /**
   * What few sessions have.
   *
   * @param parked why it is parked; null if it is not
   * @param snapshotSeq the row of the last snapshot; 0 for none
   * @param covered the last event that the snapshot covers; those after it are kept
   * @param failed the event that failed last and is not done; 0 for none
   * @param attempts its failures
   * @param ending how it ends as soon as its worker has given it back; null if it does not
   */
  record Rare(
      String parked,
      long snapshotSeq,
      long covered,
      long failed,
      int attempts,
      SessionEnding ending) {
    static final Rare NONE = new Rare(null, 0, 0, 0, 0, null);

    Rare withFailures(long event, int failures) {
      return new Rare(parked, snapshotSeq, covered, event, failures, ending);
    }

    Rare withParked(String reason) {
      return new Rare(reason, snapshotSeq, covered, failed, attempts, ending);
    }

    Rare withSnapshot(long seq, long through) {
      return new Rare(parked, seq, through, failed, attempts, ending);
    }

    Rare withEnding(SessionEnding how) {
      return new Rare(parked, snapshotSeq, covered, failed, attempts, how);
    }
  }

  SlotSessions slot() {
    return slot;
  }

  QueueSessions queue() {
    return slot.queue();
  }

  String key() {
    return key;
  }

  long serial() {
    return serial;
  }

  /** Wall time in milliseconds. */
  long openedAt() {
    return openedAt;
  }

  /** When its last event was accepted; wall time in milliseconds. */
  long lastEventAt() {
    return lastEventAt;
  }

  /** Of the last assignment; before the first one, what it was opened with. */
  SessionNumber number() {
    return new SessionNumber(epoch, handover);
  }

  boolean hasNumber(SessionNumber number) {
    return number != null && number.epoch() == epoch && number.handover() == handover;
  }

  /** Whether its worker is to give it back. */
  boolean revoked() {
    return revokedFor != null || slot.sealed();
  }

  /** Whether its worker is to give it back although its slot stays. */
  boolean movedAlone() {
    return revokedFor != null;
  }

  /**
   * Why its worker is to give it back although its slot stays, as was noted with the revocation;
   * null if it is not.
   */
  String revokedFor() {
    return revokedFor;
  }

  /**
   * Has its worker give it back.
   *
   * @param why human-readable, for its history; null if it is not to be given back any more
   */
  void revoke(String why, UndoList undo) {
    String before = revokedFor;
    revokedFor = why;
    undo.add(() -> revokedFor = before);
  }

  /** Whether any worker has had it. */
  boolean assignedBefore() {
    return assignedBefore;
  }

  /** The worker that has it; null for none. */
  SessionWorker worker() {
    return worker;
  }

  /** How many events it has had, which is the number of the last one. */
  long accepted() {
    return accepted;
  }

  /** How many of them it had when the node last took its slot; others' come after these. */
  long acceptedBefore() {
    return acceptedBefore;
  }

  void setAcceptedBefore(long events, UndoList undo) {
    long before = acceptedBefore;
    acceptedBefore = events;
    undo.add(() -> acceptedBefore = before);
  }

  /** The last event that any worker has acknowledged with all before it; 0 for none. */
  long acknowledged() {
    return acknowledged;
  }

  long unacknowledged() {
    return Math.max(0, accepted - acknowledged);
  }

  /** The last event before those that its worker gets under the present number. */
  long start() {
    return start;
  }

  /** The last event that its worker has acknowledged under the present number, or the start. */
  long done() {
    return done;
  }

  /** The last event delivered to its worker, or the last one that is done. */
  long delivered() {
    return delivered;
  }

  /** Whether its worker has everything to go on with, but was not told that it has the session. */
  boolean unknownToWorker() {
    return worker != null && !introduced && delivered == start && start == accepted && accepted > 0;
  }

  /** When the oldest unacknowledged delivery, or the last progress since, was; nanoseconds. */
  long deliveredAt() {
    return deliveredAt;
  }

  /** Size of the kept events, more or less. */
  long bytes() {
    return bytes;
  }

  /** Failures of an event, as long as no other one has failed since, and it is not done. */
  int attempts(long n) {
    return n == rare.failed ? rare.attempts : 0;
  }

  Rare rare() {
    return rare;
  }

  /** The last event that is no longer kept. */
  long covered() {
    return rare.covered;
  }

  String parked() {
    return rare.parked;
  }

  /** The sequence number of an event by its number. */
  long seqOf(long n) {
    return seq((int) (n - rare.covered - 1));
  }

  void accept(long seq, long hash, int size, long at, UndoList undo) {
    long beforeAt = lastEventAt;
    append(seq, hash, undo);
    accepted++;
    bytes += size;
    lastEventAt = at;
    undo.add(
        () -> {
          accepted--;
          bytes -= size;
          lastEventAt = beforeAt;
        });
  }

  /** Adds events that were accepted elsewhere before some of its own, after one of these. */
  void insert(long after, long[] seqs, long[] hashes, long size, UndoList undo) {
    insertAt((int) (after - rare.covered), seqs, hashes, undo);
    accepted += seqs.length;
    bytes += size;
    undo.add(
        () -> {
          accepted -= seqs.length;
          bytes -= size;
        });
    if (rare.failed > after) {
      setRare(rare.withFailures(rare.failed + seqs.length, rare.attempts), undo);
    }
  }

  /**
   * Puts events before its own, after those that its snapshot covers: other workers have
   * acknowledged them. For a session without a worker.
   */
  void insertDone(long[] seqs, long[] hashes, long size, UndoList undo) {
    insert(rare.covered, seqs, hashes, size, undo);
    shiftDone(seqs.length, undo);
  }

  /** Puts a snapshot before its own events, for a session without one and without a worker. */
  void insertSnapshot(Rare other, long[] ids, UndoList undo) {
    addEarlier(ids, undo);
    accepted += other.covered;
    undo.add(() -> accepted -= other.covered);
    shiftDone(other.covered, undo);
    if (rare.failed > 0) {
      setRare(rare.withFailures(rare.failed + other.covered, rare.attempts), undo);
    }
    setRare(rare.withSnapshot(other.snapshotSeq, other.covered), undo);
  }

  private void shiftDone(long events, UndoList undo) {
    boolean before = assignedBefore;
    setAcceptedBefore(acceptedBefore + events, undo);
    acknowledged += events;
    assignedBefore = true;
    undo.add(
        () -> {
          acknowledged -= events;
          assignedBefore = before;
        });
  }

  /**
   * Removes what it had when its slot was taken, as it has arrived with what became of it since.
   * What is left is as if it had been opened since. For a session without a worker.
   */
  void renew(UndoList undo) {
    long beforeAcknowledged = acknowledged;
    boolean before = assignedBefore;
    boolean[] gone = new boolean[kept()];
    Arrays.fill(gone, 0, (int) (acceptedBefore - rare.covered), true);
    removeRepeated(gone, undo);
    forgetEarlier(undo);
    long beforeAccepted = accepted;
    accepted = kept();
    setAcceptedBefore(0, undo);
    acknowledged = 0;
    assignedBefore = false;
    setNumber(slot.epoch(), slot.handovers(), undo);
    setRare(Rare.NONE, undo);
    undo.add(
        () -> {
          accepted = beforeAccepted;
          acknowledged = beforeAcknowledged;
          assignedBefore = before;
        });
  }

  /**
   * Notes that it has events of a session of its key that was opened earlier: what is said of
   * events that were accepted since is no longer true of all it has. Its number was in no worker's
   * hands, or it stays.
   */
  void setAsOldAs(Session other, UndoList undo) {
    if (assignedBefore || other.epoch >= epoch) {
      return;
    }
    setNumber(other.epoch, other.handover, undo);
    assignedBefore = other.assignedBefore;
    undo.add(() -> assignedBefore = false);
  }

  private void setNumber(long ofEpoch, int ofHandover, UndoList undo) {
    long beforeEpoch = epoch;
    int beforeHandover = handover;
    epoch = ofEpoch;
    handover = ofHandover;
    undo.add(
        () -> {
          epoch = beforeEpoch;
          handover = beforeHandover;
        });
  }

  /** Notes that it has events of another one: of both, the last opening and event count. */
  void heardOf(Session other, UndoList undo) {
    long beforeOpenedAt = openedAt;
    long before = lastEventAt;
    openedAt = Math.max(openedAt, other.openedAt);
    lastEventAt = Math.max(lastEventAt, other.lastEventAt);
    undo.add(
        () -> {
          openedAt = beforeOpenedAt;
          lastEventAt = before;
        });
  }

  /** Removes repeated events of a session that no worker has now. */
  void removeRepeated(boolean[] gone, UndoList undo) {
    long before = accepted;
    long beforeAcknowledged = acknowledged;
    long beforeBytes = bytes;
    int keptBefore = kept();
    long earlier = acceptedBefore;
    for (int i = 0; i < gone.length; i++) {
      earlier -= rare.covered + i < acceptedBefore && gone[i] ? 1 : 0;
      acknowledged -= rare.covered + i < beforeAcknowledged && gone[i] ? 1 : 0;
    }
    setAcceptedBefore(earlier, undo);
    if (rare.failed > 0) {
      // Its events have other numbers.
      setRare(rare.withFailures(0, 0), undo);
    }
    removeAll(gone, undo);
    accepted -= keptBefore - kept();
    bytes = keptBefore == 0 ? bytes : bytes * kept() / keptBefore;
    undo.add(
        () -> {
          accepted = before;
          acknowledged = beforeAcknowledged;
          bytes = beforeBytes;
        });
  }

  void progress(long through, UndoList undo) {
    long beforeDone = done;
    long beforeAcknowledged = acknowledged;
    long beforeDelivered = delivered;
    acknowledged = Math.max(acknowledged, through);
    done = Math.max(done, through);
    delivered = Math.max(delivered, done);
    undo.add(
        () -> {
          done = beforeDone;
          acknowledged = beforeAcknowledged;
          delivered = beforeDelivered;
        });
    if (rare.failed > 0 && rare.failed <= through) {
      setRare(rare.withFailures(0, 0), undo);
    }
  }

  void deliver(long through, long now, UndoList undo) {
    long beforeDelivered = delivered;
    long beforeAt = deliveredAt;
    boolean before = introduced;
    delivered = through;
    deliveredAt = now;
    introduced = true;
    undo.add(
        () -> {
          delivered = beforeDelivered;
          deliveredAt = beforeAt;
          introduced = before;
        });
  }

  void assign(SessionWorker to, UndoList undo) {
    boolean before = assignedBefore;
    moveTo(to, rare.covered, rare.covered, undo);
    setNumber(slot.epoch(), epoch == slot.epoch() ? handover + 1 : slot.handovers() + 1, undo);
    assignedBefore = true;
    undo.add(() -> assignedBefore = before);
  }

  void takeBack(UndoList undo) {
    if (revokedFor != null) {
      revoke(null, undo);
    }
    moveTo(null, 0, 0, undo);
  }

  private void moveTo(SessionWorker to, long from, long through, UndoList undo) {
    SessionWorker beforeWorker = worker;
    long beforeStart = start;
    long beforeDone = done;
    long beforeDelivered = delivered;
    boolean before = introduced;
    worker = to;
    start = from;
    done = through;
    delivered = through;
    introduced = false;
    undo.add(
        () -> {
          introduced = before;
          worker = beforeWorker;
          start = beforeStart;
          done = beforeDone;
          delivered = beforeDelivered;
        });
  }

  /** Tells its worker again that it has the session. */
  void introduceAgain(UndoList undo) {
    boolean before = introduced;
    introduced = false;
    undo.add(() -> introduced = before);
  }

  /** Notes how often an event has failed; 0 of none. */
  void setAttempts(long event, int failures, UndoList undo) {
    setRare(rare.withFailures(event, failures), undo);
  }

  void park(String reason, UndoList undo) {
    setRare(rare.withParked(reason), undo);
  }

  /** How it ends when it is given back; null if it does not. */
  SessionEnding ending() {
    return rare.ending;
  }

  void setEnding(SessionEnding ending, UndoList undo) {
    setRare(rare.withEnding(ending), undo);
  }

  private void setRare(Rare changed, UndoList undo) {
    Rare before = rare;
    rare = changed;
    undo.add(() -> rare = before);
  }

  /** Keeps events only after one that a snapshot covers. */
  void cover(long through, long snapshotSeq, UndoList undo) {
    int gone = (int) (through - rare.covered);
    long freed = kept() == 0 ? bytes : bytes * gone / kept();
    bytes -= freed;
    undo.add(() -> bytes += freed);
    drop(gone, undo);
    setRare(rare.withSnapshot(snapshotSeq, through), undo);
  }

  /**
   * Sets what a checkpoint or an earlier owner has; its events follow.
   *
   * @param through the last event that a worker acknowledged
   */
  void restore(long through, boolean assigned, Rare beside) {
    accepted = beside.covered;
    acknowledged = through;
    assignedBefore = assigned;
    rare = beside;
  }

  /** Of one of which only the first events have arrived, no more can be done than these. */
  void endWithAccepted(UndoList undo) {
    if (acknowledged > accepted) {
      long before = acknowledged;
      acknowledged = accepted;
      undo.add(() -> acknowledged = before);
    }
    if (rare.failed > accepted) {
      setRare(rare.withFailures(0, 0), undo);
    }
  }

  /** Sets what a checkpoint has of the present assignment. */
  void restore(SessionWorker owner, boolean leaves, long from, long through) {
    worker = owner;
    revokedFor = leaves ? ASKED_BACK : null;
    start = from;
    done = through;
    delivered = through;
  }

  /** Sets what its events say only if they are kept. */
  void restore(long size, long at) {
    bytes = size;
    lastEventAt = at;
  }

  SessionList list(Kind kind) {
    return switch (kind) {
      case PLACE -> place;
      case READY -> ready;
      case DELIVERED -> outstanding;
    };
  }

  Session before(Kind kind) {
    return switch (kind) {
      case PLACE -> placeBefore;
      case READY -> readyBefore;
      case DELIVERED -> outstandingBefore;
    };
  }

  Session after(Kind kind) {
    return switch (kind) {
      case PLACE -> placeAfter;
      case READY -> readyAfter;
      case DELIVERED -> outstandingAfter;
    };
  }

  void link(Kind kind, SessionList list, Session before, Session after) {
    switch (kind) {
      case PLACE -> {
        place = list;
        placeBefore = before;
        placeAfter = after;
      }
      case READY -> {
        ready = list;
        readyBefore = before;
        readyAfter = after;
      }
      case DELIVERED -> {
        outstanding = list;
        outstandingBefore = before;
        outstandingAfter = after;
      }
    }
  }
}
