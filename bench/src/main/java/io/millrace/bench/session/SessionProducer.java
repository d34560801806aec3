package io.millrace.bench.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.bench.session.SessionCalls.PutOutcome;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.bench.session.SessionSource.SentSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the events of sessions that are its own, many at a time and each in order; awaits each
 * answer, and sends a batch again until all of it is stored. One thread, apart from the counters.
 */
final class SessionProducer {
  private static final Set<ErrorCode> LATER =
      EnumSet.of(
          ErrorCode.SESSIONS_FULL,
          ErrorCode.QUEUE_FULL,
          ErrorCode.RATE_LIMITED,
          ErrorCode.STALE_SLOT,
          ErrorCode.NO_SEGMENT,
          ErrorCode.UNKNOWN_SEGMENT,
          ErrorCode.UNKNOWN_QUEUE,
          ErrorCode.UNAVAILABLE,
          ErrorCode.UNREACHABLE,
          ErrorCode.TIMEOUT);
  private static final Duration UNANSWERED = Duration.ofMillis(200);
  private static final int REMEMBERED = 2_000;
  private static final int LINE = 300;

  private final String name;
  private final SessionSource source;
  private final SessionLoad load;
  private final SessionCalls client;
  private final SessionRound round;
  private final SessionPace pace;
  private final SplittableRandom random;
  private final List<SentSession> open = new ArrayList<>();
  private final ArrayDeque<SentSession> ended = new ArrayDeque<>();
  private int batches;
  private double duplicatesDue;
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private long duplicatesSent;
  private long duplicatesReported;

  SessionProducer(
      String name,
      int seed,
      SessionSource source,
      SessionLoad load,
      SessionCalls client,
      SessionRound round,
      SessionPace pace) {
    this.name = name;
    this.random = new SplittableRandom(seed);
    this.source = source;
    this.load = load;
    this.client = client;
    this.round = round;
    this.pace = pace;
  }

  /** Events that are stored. Any thread. */
  long accepted() {
    return accepted.sum();
  }

  /** Answers that asked to send a batch again. Any thread. */
  long refusals() {
    return refusals.sum();
  }

  /** Events sent again; once the thread has ended. */
  long duplicatesSent() {
    return duplicatesSent;
  }

  /** Those of them that the node refused or called repeated; once the thread has ended. */
  long duplicatesReported() {
    return duplicatesReported;
  }

  /** Sends all that it can take; blocks until it is stored. */
  void run() {
    refill();
    while (!open.isEmpty() && !Thread.currentThread().isInterrupted()) {
      sendBatch();
      refill();
      if (duplicatesDue >= load.batch()) {
        sendDuplicates(load.batch());
      }
    }
  }

  private void refill() {
    // Twice as many keys as events in a batch: most of its keys are different.
    while (open.size() < 2 * load.batch()) {
      SentSession next = source.take();
      if (next == null) {
        return;
      }
      open.add(next);
    }
  }

  private void sendBatch() {
    StringBuilder lines = new StringBuilder(load.batch() * LINE);
    List<BatchEvent> events = new ArrayList<>(load.batch());
    long now = round.clock().nanoTime();
    while (events.size() < load.batch() && !open.isEmpty()) {
      int chosen = random.nextInt(open.size());
      SentSession session = open.get(chosen);
      int place = session.next();
      source.write(lines, session.key(), place, now);
      events.add(new BatchEvent(session, place));
      if (session.complete()) {
        open.set(chosen, open.get(open.size() - 1));
        open.remove(open.size() - 1);
      }
    }
    enter(events.size());
    pace.await(events.size());
    String batch = name + "-" + batches++;
    byte[] body = lines.toString().getBytes(StandardCharsets.UTF_8);
    if (!sendUntilStored(batch, body)) {
      return;
    }
    accepted.add(events.size());
    round.progressed();
    duplicatesDue += events.size() * load.duplicates();
    for (int index = 0; index < events.size(); index++) {
      BatchEvent event = events.get(index);
      SentSession session = event.session();
      session.stored(source.id(session.key(), event.place(), batch, index));
      if (event.place() == session.sent() && session.complete()) {
        ended.add(session);
      }
    }
    while (ended.size() > REMEMBERED) {
      ended.remove();
    }
  }

  private void enter(int events) {
    try {
      while (round.window() != null && !round.window().tryAcquire(events, 1, TimeUnit.SECONDS)) {
        if (round.stalled()) {
          throw new MillraceException(
              ErrorCode.TIMEOUT, "the workers have received nothing for a long time");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.UNAVAILABLE, "the benchmark was interrupted", e);
    }
  }

  private boolean sendUntilStored(String batch, byte[] body) {
    for (int attempt = 1; !Thread.currentThread().isInterrupted(); attempt++) {
      PutOutcome outcome = put(batch, source.mediaType(), body);
      if (outcome != null && stored(batch, outcome, attempt)) {
        return true;
      }
      if (round.stalled()) {
        throw new MillraceException(
            ErrorCode.TIMEOUT, "batch " + batch + " was refused until nothing went on");
      }
    }
    return false;
  }

  /** Null if it is unknown what became of it. */
  private PutOutcome put(String batch, String mediaType, byte[] body) {
    try {
      return client.put(batch, mediaType, body);
    } catch (IOException unknown) {
      LockSupport.parkNanos(UNANSWERED.toNanos());
      return null;
    }
  }

  private boolean stored(String batch, PutOutcome outcome, int attempt) {
    if (outcome.wholly() == null && outcome.refused().isEmpty()) {
      return true;
    }
    boolean later = outcome.wholly() != null && later(batch, outcome.wholly(), attempt);
    for (RefusedEvent refused : outcome.refused()) {
      later |= later(batch, refused.code(), attempt);
    }
    if (later) {
      refusals.increment();
      LockSupport.parkNanos(outcome.retryAfter().toNanos());
    }
    return !later;
  }

  /** Whether an event is to be sent again; it is stored if its session is completed already. */
  private static boolean later(String batch, ErrorCode code, int attempt) {
    if (LATER.contains(code)) {
      return true;
    }
    if (code == ErrorCode.DUPLICATE && attempt > 1) {
      return false;
    }
    throw new MillraceException(
        code, "batch " + batch + " has an event that was refused with " + code);
  }

  /** Sends what is due once all sessions are completed. */
  void sendLastDuplicates() {
    int due = (int) Math.round(duplicatesDue);
    if (due > 0) {
      sendDuplicates(due);
    }
  }

  /** Half of completed sessions, half of sessions that go on; fewer if there are not so many. */
  private void sendDuplicates(int count) {
    StringBuilder completed = new StringBuilder();
    int ofCompleted = 0;
    Iterator<SentSession> oldest = ended.iterator();
    while (ofCompleted < (open.isEmpty() ? count : count / 2) && oldest.hasNext()) {
      SentSession session = oldest.next();
      if (round.check().isCompleted(session.key())) {
        envelope(completed, session);
        oldest.remove();
        ofCompleted++;
      }
    }
    StringBuilder going = new StringBuilder();
    int ofGoing = 0;
    for (int i = 0; i < open.size() && ofCompleted + ofGoing < count; i++) {
      if (open.get(i).lastId() != null) {
        envelope(going, open.get(i));
        ofGoing++;
      }
    }
    duplicatesDue -= ofCompleted + ofGoing;
    report(completed, ofCompleted);
    report(going, ofGoing);
  }

  private void envelope(StringBuilder lines, SentSession session) {
    lines.append("{\"id\":").append(Json.write(session.lastId()));
    lines.append(",\"data\":").append(source.data(session.key(), session.sent())).append("}\n");
  }

  private void report(StringBuilder lines, int events) {
    if (events == 0) {
      return;
    }
    String batch = name + "-again-" + batches++;
    byte[] body = lines.toString().getBytes(StandardCharsets.UTF_8);
    PutOutcome outcome = null;
    while (!Thread.currentThread().isInterrupted() && !round.stalled() && unsettled(outcome)) {
      if (outcome != null) {
        LockSupport.parkNanos(outcome.retryAfter().toNanos());
      }
      outcome = put(batch, EventMedia.ENVELOPES, body);
    }
    duplicatesSent += events;
    duplicatesReported += reported(outcome, events);
  }

  private static boolean unsettled(PutOutcome outcome) {
    return outcome == null
        || LATER.contains(outcome.wholly())
        || outcome.refused().stream().anyMatch(refused -> LATER.contains(refused.code()));
  }

  /** How many of events that were sent before an answer calls refused or repeated. */
  static long reported(PutOutcome outcome, int events) {
    if (outcome == null) {
      return 0;
    }
    if (outcome.wholly() == ErrorCode.DUPLICATE) {
      return events;
    }
    long refused =
        outcome.refused().stream().filter(event -> event.code() == ErrorCode.DUPLICATE).count();
    return refused + (outcome.repeated() ? events - outcome.refused().size() : 0);
  }

  private record BatchEvent(SentSession session, int place) {}
}
