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
  private static final int SNAPSHOT_BYTES_AT_ONCE = 4 << 20;

  private final SessionHandler<S> handler;
  private final KeyedThreads threads;
  private final LongSupplier nanoTime;
  private final int maxBuffered;
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
  private boolean ending;

  HeldSessions(
      SessionHandler<S> handler, KeyedThreads threads, LongSupplier nanoTime, int maxBuffered) {
    this.handler = handler;
    this.threads = threads;
    this.nanoTime = nanoTime;
    this.maxBuffered = maxBuffered;
    this.workUntil = nanoTime.getAsLong();
  }

  SessionHandler<S> handler() {
    return handler;
  }

  /** Lets handlers begin until then, in monotonic nanoseconds. */
  synchronized void allowUntil(long end) {
    workUntil = end;
  }

  /** Whether the time has passed in which sessions may be worked on. */
  synchronized boolean isOverdue() {
    return nanoTime.getAsLong() - workUntil >= 0;
  }

  boolean isPast(long end) {
    return nanoTime.getAsLong() - end >= 0;
  }

  /** How long sessions may still be worked on; not positive if that is over. */
  synchronized long nanosLeft() {
    return workUntil - nanoTime.getAsLong();
  }

  /** The same, or until the work on a revoked one must end, if that is earlier. */
  synchronized long nanosToNextEnd() {
    long now = nanoTime.getAsLong();
    long left = workUntil - now;
    for (long end : revoked.values()) {
      left = Math.min(left, end - now);
    }
    return left;
  }

  /** Ends the work on revoked sessions whose time has passed, and gives them back. */
  void endOverdue() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      long now = nanoTime.getAsLong();
      for (Map.Entry<HeldSession<S>, Long> one : List.copyOf(revoked.entrySet())) {
        if (now - one.getValue() >= 0) {
          revoked.remove(one.getKey());
          one.getKey().cutOff(steps);
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
    return ending ? 0 : Math.max(0, maxBuffered - buffered);
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
   * Takes what a poll has brought, and passes its events to the threads.
   *
   * @param sent the results that the poll reported
   */
  void answered(PollAnswered answer, List<SessionResult> sent) {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
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
    if (newer > 0) {
      unknown.add(told);
    } else if (newer == 0 && session.revoke(workUntil, steps)) {
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
      session.end(gone, steps);
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
        session.end(true, steps);
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
    while (next.hasNext() && results.size() < RESULTS_AT_ONCE && bytes < SNAPSHOT_BYTES_AT_ONCE) {
      HeldSession<S> session = next.next();
      next.remove();
      bytes += session.snapshotBytes();
      session.report(poll, results);
    }
    return results;
  }

  /** Forgets all sessions: others have them, or will. */
  void discard() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      List<HeldSession<S>> all = List.copyOf(sessions.values());
      sessions.clear();
      toReport.clear();
      paused.clear();
      revoked.clear();
      unknown.clear();
      all.forEach(session -> session.end(true, steps));
    }
    steps.forEach(Runnable::run);
  }

  /** Ends the sessions for the program, before the worker leaves. */
  void close() {
    List<Runnable> steps = new ArrayList<>();
    synchronized (this) {
      List<HeldSession<S>> all = List.copyOf(sessions.values());
      sessions.clear();
      all.forEach(session -> session.end(false, steps));
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
