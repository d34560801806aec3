package io.millrace.api.client;

import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The sessions that a worker has from one queue node, what is in work, and what is to be reported.
 * Its monitor guards all of them, and is never held while a handler runs. At most as many events as
 * {@link #room} allowed are held. Thread-safe.
 *
 * @param <S> what the program keeps of one session
 */
final class HeldSessions<S> {
  private static final int RESULTS_AT_ONCE = 2_000;
  // Queue nodes take 8 MiB.
  private static final long BYTES_AT_ONCE = 6 << 20;
  private static final int EVENTS_AT_ONCE = 10_000;
  private static final long LONGEST_LOOK_NANOS = 50_000_000;
  private static final int GRACE_OF_DEADLINE = 3;

  private final SessionHandler<S> handler;
  private final KeyedThreads threads;
  private final LongSupplier nanoTime;
  private final int maxBuffered;
  private final long graceNanos;
  // All guarded by this.
  private final Map<String, HeldSession<S>> sessions = new HashMap<>();
  private final Set<HeldSession<S>> toReport = new LinkedHashSet<>();
  private final Set<HeldSession<S>> paused = new LinkedHashSet<>();
  // To be given back, with the end of the time in which they may be worked on.
  private final Map<HeldSession<S>, Long> revoked = new LinkedHashMap<>();
  // Revoked ones that are not held, as the answer that brought them was lost.
  private final Set<RevokedSession> unknown = new LinkedHashSet<>();
  private int buffered;
  private int inWork;
  private long workUntil;
  private long graceNow;
  // Whether the worker may have no sessions: it is not registered, or its time has passed.
  private boolean lost = true;
  private boolean ending;
  private boolean closed;

  /**
   * Without sessions.
   *
   * @param nanoTime nanoseconds that count suspended time too
   * @param graceNanos how long before the end of the time programs are told of it; 0 for at the end
   */
  HeldSessions(
      SessionHandler<S> handler,
      KeyedThreads threads,
      LongSupplier nanoTime,
      int maxBuffered,
      long graceNanos) {
    this.handler = handler;
    this.threads = threads;
    this.nanoTime = nanoTime;
    this.maxBuffered = maxBuffered;
    this.graceNanos = graceNanos;
    this.workUntil = nanoTime.getAsLong();
  }

  SessionHandler<S> handler() {
    return handler;
  }

  /** Whether programs end the work on a session by themselves when they are told. */
  boolean programsEndInTime() {
    return graceNanos > 0;
  }

  /**
   * The worker has registered without sessions, and those that it gets may be worked on.
   *
   * @param begun when the call began
   * @param deadline how long after that
   */
  synchronized void begin(long begun, long deadline) {
    lost = false;
    allow(begun, deadline);
  }

  private void allow(long begun, long deadline) {
    workUntil = begun + deadline;
    // A longer one would let no answer come in time.
    graceNow = Math.min(graceNanos, deadline / GRACE_OF_DEADLINE);
  }

  /** Whether the sessions may be others', or their programs were told to end. */
  synchronized boolean isLost() {
    return lost;
  }

  /** Whether the time has passed in which sessions may be worked on, but for their end. */
  synchronized boolean isOverdue() {
    return nanoTime.getAsLong() - (workUntil - graceNow) >= 0;
  }

  boolean isPast(long end) {
    return nanoTime.getAsLong() - end >= 0;
  }

  /** How long until {@link #endOverdue} has something to do. */
  synchronized long nanosToNextEnd() {
    long now = nanoTime.getAsLong();
    long left = workUntil - graceNow - now;
    for (long end : revoked.values()) {
      left = Math.min(left, end - graceNanos - now);
    }
    return left;
  }

  /**
   * Ends the work on revoked sessions whose time has passed, and gives them back; all sessions are
   * lost when no call was answered for too long.
   */
  void endOverdue() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      long now = nanoTime.getAsLong();
      if (!lost && isOverdue()) {
        discard(workUntil - now, steps);
      }
      for (Map.Entry<HeldSession<S>, Long> one : List.copyOf(revoked.entrySet())) {
        long end = one.getValue();
        if (now - (end - graceNanos) >= 0) {
          revoked.remove(one.getKey());
          one.getKey().cutOff(end - now, steps);
        }
      }
    }
    steps.forEach(Runnable::run);
  }

  /** Whether a handler may begin with an event. */
  synchronized boolean mayBegin() {
    return !ending && !isOverdue();
  }

  /** How many events more may be taken. */
  synchronized int room() {
    return ending ? 0 : Math.max(0, Math.min(EVENTS_AT_ONCE, maxBuffered - buffered));
  }

  /** Begins with no more events; those in work are finished and reported. */
  synchronized void end() {
    ending = true;
    notifyAll();
  }

  synchronized boolean isEnding() {
    return ending;
  }

  /** Whether nothing is in work and nothing to be reported. */
  synchronized boolean isIdle() {
    return inWork == 0 && toReport.isEmpty() && unknown.isEmpty();
  }

  /** Waits until something can be reported, or nothing is in work any more, at most that long. */
  synchronized void awaitResults(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (toReport.isEmpty() && unknown.isEmpty() && inWork > 0) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /**
   * Waits until nothing is in work, at most until the time has passed in which it may be; a little
   * longer if programs were told to end it.
   */
  synchronized void awaitWork() throws InterruptedException {
    while (inWork > 0 && !isPast(workUntil + graceNow)) {
      // In parts, as the other clock may stand still in a suspension.
      TimeUnit.NANOSECONDS.timedWait(this, LONGEST_LOOK_NANOS);
    }
  }

  /** Waits that long, or until the worker is to end. */
  synchronized void awaitEnd(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (!ending) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /**
   * Waits that long before the node is asked again, or until the sessions are lost. The beginning
   * of the worker's end is a reason to ask at once, but not one to ask without pauses from then on.
   */
  synchronized void awaitRetry(long nanos) throws InterruptedException {
    boolean endingBefore = ending;
    long end = System.nanoTime() + nanos;
    while (!lost && ending == endingBefore) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /**
   * Takes what a poll has brought, and passes its events to the threads; nothing if the sessions
   * were lost before it was answered.
   *
   * @param begun when the poll began
   * @param sent the results that the poll reported
   */
  void answered(PollAnswered answer, long begun, List<SessionResult> sent) {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      if (lost) {
        return;
      }
      allow(begun, answer.deadline().toNanos());
      if (closed) {
        // The worker leaves, and gives all back by that.
        return;
      }
      for (int i = 0; i < Math.min(sent.size(), answer.answers().size()); i++) {
        settle(sent.get(i), answer.answers().get(i), steps);
      }
      for (SessionDelivery delivery : answer.sessions()) {
        take(delivery, answer.poll(), steps);
      }
      answer.revoked().forEach(one -> revoke(one, steps));
      List<HeldSession<S>> again = List.copyOf(paused);
      paused.clear();
      again.forEach(session -> session.begin(steps));
    }
    steps.forEach(Runnable::run);
  }

  private void revoke(RevokedSession told, List<Runnable> steps) {
    HeldSession<S> session = sessions.get(told.key());
    int newer = session == null ? 1 : told.number().compareTo(session.number());
    if (newer != 0) {
      unknown.add(told);
    } else if (session.revoke(workUntil, steps)) {
      revoked.put(session, workUntil);
    }
  }

  private void settle(SessionResult result, ResultAnswer answer, List<Runnable> steps) {
    HeldSession<S> session = sessions.get(result.key());
    if (session == null || !session.number().equals(result.number())) {
      return;
    }
    boolean gone =
        answer.outcome() == ResultOutcome.STALE || answer.outcome() == ResultOutcome.UNKNOWN;
    boolean completed =
        result.kind() == ResultKind.COMPLETED && answer.outcome() == ResultOutcome.DONE;
    if (gone || completed || result.kind() == ResultKind.RELEASED) {
      remove(session);
      if (gone) {
        // It has ended, or is another worker's already.
        boolean stale = answer.outcome() == ResultOutcome.STALE;
        session.lose(stale ? 0 : workUntil - nanoTime.getAsLong(), steps);
      } else {
        session.end(steps);
      }
    }
  }

  /** A result was refused, so that it is not sent again; other sessions go on. */
  void refused(SessionResult result, String why) {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      HeldSession<S> session = sessions.get(result.key());
      if (session == null || !session.number().equals(result.number())) {
        return;
      }
      long left = workUntil - nanoTime.getAsLong();
      if (result.kind() == ResultKind.RELEASED && result.through() == 0) {
        // There is no other way to give it back.
        remove(session);
        session.lose(left, steps);
      } else {
        session.refuse(result, why, left, steps);
      }
    }
    steps.forEach(Runnable::run);
  }

  /**
   * Failures among results are not reported by the poll that was made for them, but a later one.
   */
  synchronized void failuresComeIn(long poll, List<SessionResult> results) {
    for (SessionResult result : results) {
      HeldSession<S> session = sessions.get(result.key());
      if (result.kind() == ResultKind.FAILED
          && session != null
          && session.number().equals(result.number())) {
        session.failsIn(poll);
      }
    }
  }

  private void take(SessionDelivery delivery, long poll, List<Runnable> steps) {
    HeldSession<S> session = sessions.get(delivery.key());
    int newer = session == null ? 1 : delivery.number().compareTo(session.number());
    if (newer < 0) {
      return;
    }
    if (newer > 0) {
      if (session != null) {
        remove(session);
        session.lose(workUntil - nanoTime.getAsLong(), steps);
      }
      session = new HeldSession<>(this, delivery);
      sessions.put(delivery.key(), session);
    }
    session.add(delivery.events(), poll, steps);
  }

  private void remove(HeldSession<S> session) {
    sessions.remove(session.key());
    toReport.remove(session);
    paused.remove(session);
    revoked.remove(session);
  }

  /**
   * What is to be reported by the next poll; a part of it if it is much.
   *
   * @param poll the number of that poll
   */
  synchronized List<SessionResult> results(long poll) {
    List<SessionResult> results = new ArrayList<>();
    for (RevokedSession one : unknown) {
      results.add(new SessionResult(one.key(), one.number(), 0, ResultKind.RELEASED, null, null));
    }
    unknown.clear();
    long bytes = 0;
    Iterator<HeldSession<S>> next = toReport.iterator();
    while (next.hasNext() && results.size() < RESULTS_AT_ONCE) {
      HeldSession<S> session = next.next();
      bytes += session.bytes();
      if (bytes > BYTES_AT_ONCE && !results.isEmpty()) {
        break;
      }
      next.remove();
      session.report(poll, results);
    }
    return results;
  }

  /** Forgets all sessions, which are others' now. */
  void discard() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      if (!lost) {
        workUntil = nanoTime.getAsLong();
        graceNow = 0;
        discard(0, steps);
      }
    }
    steps.forEach(Runnable::run);
  }

  /** The same if the node does not know of it yet: work may end within its time. */
  void abandon() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      if (!lost) {
        discard(Math.max(0, workUntil - nanoTime.getAsLong()), steps);
      }
    }
    steps.forEach(Runnable::run);
  }

  private void discard(long nanos, List<Runnable> steps) {
    lost = true;
    List<HeldSession<S>> all = List.copyOf(sessions.values());
    sessions.clear();
    toReport.clear();
    paused.clear();
    revoked.clear();
    unknown.clear();
    notifyAll();
    all.forEach(session -> session.lose(nanos, steps));
  }

  /** Ends the sessions for the program, before the worker leaves; it has them until then. */
  void close() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      closed = true;
      sessions.values().forEach(session -> session.end(steps));
    }
    steps.forEach(Runnable::run);
  }

  // Called by sessions, which hold the monitor.

  void buffers(int events) {
    buffered += events;
  }

  /** Adds a step of a session to those that are passed to the threads without the monitor. */
  void plan(HeldSession<S> session, Runnable step, List<Runnable> steps) {
    inWork++;
    steps.add(() -> threads.add(session.key(), () -> run(step)));
  }

  private void run(Runnable step) {
    try {
      step.run();
    } finally {
      synchronized (this) {
        inWork--;
        notifyAll();
      }
    }
  }

  void pause(HeldSession<S> session) {
    paused.add(session);
  }

  void hasResults(HeldSession<S> session) {
    if (sessions.get(session.key()) == session) {
      toReport.add(session);
      notifyAll();
    }
  }
}
