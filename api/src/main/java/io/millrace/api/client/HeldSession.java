package io.millrace.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.SessionHandler.OpenSession;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One session under one number: the events that wait, the one in work, and what is to be reported.
 * Guarded by its book; only handlers are called without it.
 *
 * @param <S> what the program keeps of it
 */
final class HeldSession<S> implements OpenSession<S> {
  private static final int SMALL_PARTS = 1_024;
  private static final int LONGEST_ESCAPE = 6;

  private final HeldSessions<S> book;
  private final String key;
  private final SessionNumber number;
  private final long replayed;
  // All below guarded by the book.
  private final ArrayDeque<SessionEvent> waiting = new ArrayDeque<>();
  private JsonNode first;
  private S state;
  private boolean opened;
  private boolean closing;
  private boolean lost;
  private boolean revoked;
  private long workUntil;
  private boolean cutOff;
  private boolean givenBack;
  private boolean ended;
  private boolean begun;
  private SessionEvent current;
  // The last event that is done, and the last one that waits or is done.
  private long handled;
  private long known;
  // Deliveries that answer earlier polls were made before the failure of an event was known.
  private long ignoredBefore;
  // What is to be reported; nothing if 0 or null.
  private long acknowledged;
  private Snapshot snapshot;
  private long completed;
  private String failed;
  private boolean released;
  private Asked asked = new Asked();

  HeldSession(HeldSessions<S> book, SessionDelivery delivery) {
    this.book = book;
    this.key = delivery.key();
    this.number = delivery.number();
    this.first = delivery.snapshot();
    this.replayed = delivery.replayed();
    this.handled = delivery.from() - 1;
    this.known = handled;
    this.acknowledged = handled;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public SessionNumber number() {
    return number;
  }

  // ---- events that arrive

  /** Takes events that it does not know yet. */
  void add(List<SessionEvent> events, long poll, List<Runnable> steps) {
    if (givenBack || poll < ignoredBefore) {
      return;
    }
    for (SessionEvent event : events) {
      if (event.n() > known) {
        known = event.n();
        waiting.add(event);
        book.buffers(1);
      }
    }
    begin(steps);
  }

  /** Has the next event handled, if there is one and none is. */
  void begin(List<Runnable> steps) {
    if (!begun && !waiting.isEmpty() && !book.isEnding()) {
      begun = true;
      book.plan(this, this::turn, steps);
    }
  }

  /** Gives the session back when the event in work is done. */
  void giveBack(List<Runnable> steps) {
    if (!givenBack) {
      givenBack = true;
      drop();
      book.plan(this, this::release, steps);
    }
  }

  /** Gives the session back by that time; false if that was said before. */
  boolean revoke(long end, List<Runnable> steps) {
    if (revoked) {
      return false;
    }
    revoked = true;
    workUntil = end;
    giveBack(steps);
    return true;
  }

  /**
   * Gives the session back although an event may be in work, of which nothing is reported: at once,
   * or when the program has ended its work, if it ends it within the time that is left.
   *
   * @param nanos the time that is left
   */
  void cutOff(long nanos, List<Runnable> steps) {
    if (cutOff || released || ended) {
      return;
    }
    cutOff = true;
    tellLost(nanos, steps);
    releaseAtOnce();
  }

  private void releaseAtOnce() {
    if (released || !book.programsEndInTime()) {
      released = true;
      book.hasResults(this);
    }
  }

  /** A result was refused: it is not sent again, but its event has failed. */
  void refuse(SessionResult result, String why, long nanos, List<Runnable> steps) {
    boolean ofAnEvent =
        result.kind() != ResultKind.FAILED
            && result.kind() != ResultKind.RELEASED
            && result.through() > 0;
    failed = ofAnEvent ? cut(why) : null;
    handled = ofAnEvent ? Math.min(handled, result.through() - 1) : 0;
    snapshot = null;
    completed = 0;
    cutOff = true;
    tellLost(nanos, steps);
    giveBack(steps);
    releaseAtOnce();
  }

  private void tellLost(long nanos, List<Runnable> steps) {
    if (lost) {
      return;
    }
    lost = true;
    if (opened) {
      S last = state;
      Duration left = Duration.ofNanos(Math.max(0, nanos));
      steps.add(() -> guarded(() -> book.handler().onLost(last, left)));
    }
  }

  /** The session is no longer held; its state is closed. */
  void end(List<Runnable> steps) {
    ended = true;
    givenBack = true;
    drop();
    book.plan(this, this::close, steps);
  }

  /**
   * The session is no longer held, because it is or will be another worker's.
   *
   * @param nanos how long it may still be worked on
   */
  void lose(long nanos, List<Runnable> steps) {
    tellLost(nanos, steps);
    end(steps);
  }

  private void drop() {
    book.buffers(-waiting.size());
    waiting.clear();
  }

  // ---- steps on the threads

  private void turn() {
    SessionEvent event;
    boolean open;
    synchronized (book) {
      begun = false;
      if (givenBack || waiting.isEmpty()) {
        return;
      }
      if (!book.mayBegin()) {
        book.pause(this);
        return;
      }
      event = waiting.remove();
      current = event;
      asked = new Asked();
      open = opened;
    }
    String failure = null;
    boolean stopped = false;
    try {
      if (open || open()) {
        book.handler().onEvent(this, event);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopped = true;
    } catch (Throwable e) { // an Error too: the session must not wait for ever
      failure = String.valueOf(e);
    }
    List<Runnable> steps = new ArrayList<>();
    synchronized (book) {
      current = null;
      book.buffers(-1);
      if (cutOff) {
        // It is reported as given back already.
        snapshot = null;
      } else if (!ended && (stopped || (failure == null && asked.onlyGivesBack()))) {
        giveBack(steps);
      } else if (!ended) {
        note(event, failure, steps);
        begin(steps);
      }
    }
    steps.forEach(Runnable::run);
  }

  /** Opens the state; false if the session was lost meanwhile. */
  @SuppressWarnings("checkstyle:IllegalThrows") // a program may fail in any way
  private boolean open() throws Exception {
    JsonNode from;
    synchronized (book) {
      from = first;
    }
    S made = book.handler().open(key, from);
    synchronized (book) {
      state = made;
      opened = true;
      first = null;
      return !lost;
    }
  }

  private void note(SessionEvent event, String failure, List<Runnable> steps) {
    boolean isDone = asked.acknowledged || (failure == null && asked.failure == null);
    if (isDone) {
      handled = event.n();
      if (asked.snapshot != null) {
        snapshot = new Snapshot(event.n(), asked.snapshot, asked.snapshotBytes);
      }
      if (asked.completed) {
        completed = event.n();
      }
    } else {
      failed = cut(failure == null ? asked.failure : failure);
      drop();
      known = handled;
      ignoredBefore = Long.MAX_VALUE;
    }
    book.hasResults(this);
    if (failure != null || asked.givenBack) {
      // What the handler has left behind may be half done: a successor builds it anew.
      giveBack(steps);
    }
  }

  private void release() {
    close();
    synchronized (book) {
      if (!released && !ended) {
        released = true;
        book.hasResults(this);
      }
    }
  }

  private void close() {
    S last;
    synchronized (book) {
      if (!opened || closing) {
        return;
      }
      // Until it is closed, its program can be told that the time is over.
      closing = true;
      last = state;
    }
    guarded(() -> book.handler().onClose(last));
    synchronized (book) {
      opened = false;
      state = null;
    }
  }

  /**
   * Calls the program: what it raises, an Error too, goes to the thread's handler and must not end
   * the thread, or leave the session held.
   */
  static void guarded(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      uncaught(e);
    }
  }

  static void uncaught(Throwable e) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
  }

  // ---- what is reported

  /** The most bytes of what {@link #report} adds. */
  long bytes() {
    long texts = 4L * key.length() + (failed == null ? 0 : failed.length());
    return SMALL_PARTS + LONGEST_ESCAPE * texts + (snapshot == null ? 0 : snapshot.bytes());
  }

  /** A failure is reported by that poll: what was delivered before is delivered again. */
  void failsIn(long poll) {
    ignoredBefore = poll;
  }

  /** Adds what is to be reported by that poll, the earliest event first. */
  void report(long poll, List<SessionResult> results) {
    long told = acknowledged;
    if (snapshot != null) {
      results.add(result(snapshot.n(), ResultKind.SNAPSHOT, snapshot.state(), null));
      told = Math.max(told, snapshot.n());
      snapshot = null;
    }
    if (completed > 0) {
      results.add(result(completed, ResultKind.COMPLETED, null, null));
      told = Math.max(told, completed);
      completed = 0;
    }
    if (failed != null) {
      results.add(result(handled, ResultKind.FAILED, null, failed));
      told = handled;
      failed = null;
      ignoredBefore = poll;
    }
    if (released) {
      results.add(result(handled, ResultKind.RELEASED, null, null));
      told = handled;
    }
    if (told < handled) {
      results.add(result(handled, ResultKind.ACKNOWLEDGED, null, null));
    }
    acknowledged = handled;
  }

  private SessionResult result(long through, ResultKind kind, JsonNode given, String reason) {
    return new SessionResult(key, number, through, kind, given, reason);
  }

  private static String cut(String reason) {
    String text = reason == null ? "" : reason;
    text = text.substring(0, Math.min(SessionWorkerCalls.LONGEST_REASON, text.length()));
    // Half a letter cannot be sent.
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  // ---- what the handler sees

  @Override
  public S state() {
    synchronized (book) {
      return state;
    }
  }

  @Override
  public void replace(S next) {
    synchronized (book) {
      state = next;
    }
  }

  @Override
  public boolean isReplayed(SessionEvent event) {
    return event.n() <= replayed;
  }

  @Override
  public boolean isCurrent() {
    synchronized (book) {
      return !ended && !cutOff && !book.isOverdue() && !(revoked && book.isPast(workUntil));
    }
  }

  @Override
  public void acknowledge() {
    synchronized (book) {
      requireEvent();
      asked.acknowledged = true;
      if (!cutOff) {
        handled = current.n();
      }
      if (!ended && !cutOff) {
        book.hasResults(this);
      }
    }
  }

  @Override
  public void snapshot(Object given) {
    JsonNode written = Json.mapper().valueToTree(given);
    int bytes = Json.writeBytes(written).length;
    if (bytes > SessionWorkerCalls.LARGEST_SNAPSHOT) {
      throw new IllegalArgumentException(
          "the snapshot of session '%s' has %,d bytes as JSON; at most %,d are stored"
              .formatted(key, bytes, SessionWorkerCalls.LARGEST_SNAPSHOT));
    }
    synchronized (book) {
      requireEvent();
      asked.snapshot = written;
      asked.snapshotBytes = bytes;
    }
  }

  @Override
  public void complete() {
    synchronized (book) {
      requireEvent();
      asked.completed = true;
    }
  }

  @Override
  public void completeThrough(long n) {
    synchronized (book) {
      if (!ended && !givenBack) {
        completed = Math.max(completed, n);
        book.hasResults(this);
      }
    }
  }

  @Override
  public void fail(String reason) {
    synchronized (book) {
      requireEvent();
      asked.failure = reason == null ? "" : reason;
    }
  }

  @Override
  public void giveBack() {
    synchronized (book) {
      requireEvent();
      asked.givenBack = true;
    }
  }

  private void requireEvent() {
    if (current == null) {
      throw new IllegalStateException("no event of session '" + key + "' is in work");
    }
  }

  /** What the handler asked for while it handled an event. */
  private static final class Asked {
    private boolean acknowledged;
    private JsonNode snapshot;
    private int snapshotBytes;
    private boolean completed;
    private String failure;
    private boolean givenBack;

    boolean onlyGivesBack() {
      return givenBack && failure == null && !acknowledged;
    }
  }

  /** A state that is to be reported. */
  private record Snapshot(long n, JsonNode state, int bytes) {}
}
