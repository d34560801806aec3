package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionNodes.NodePlace;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A worker's registration at one queue node: one thread that registers, polls, and reports.
 *
 * <p>It polls one at a time. While handlers are busy it asks without waiting, and reports as soon
 * as there is something to report; only when nothing is in work the node waits for events. What the
 * node has not answered is sent again unchanged. What it refuses is divided until the result is
 * found that it does not take; that one's session is given back, and the others go on. Once the
 * node's deadline has passed without an answer, or the node does not know the worker, all its
 * sessions are forgotten and the worker registers as a new process, because the node may have given
 * them to others.
 *
 * @param <S> what the program keeps of one session
 */
final class SessionAttachment<S> implements Runnable {
  private static final Duration ANSWER = Duration.ofSeconds(15);
  private static final Duration SHORTEST_CALL = Duration.ofMillis(500);
  // The node has noted nothing of such a poll, and would not the next time.
  private static final Set<ErrorCode> REFUSALS =
      Set.of(ErrorCode.INVALID_REQUEST, ErrorCode.BODY_TOO_LARGE, ErrorCode.UNSUPPORTED_MEDIA_TYPE);
  private static final long FIRST_BUSY_NANOS = 2_000_000;
  private static final long LONGEST_BUSY_NANOS = 250_000_000;
  private static final long SHORTEST_ROUND_NANOS = 50_000_000;
  static final long FIRST_PAUSE_NANOS = 100_000_000;
  private static final long LONGEST_PAUSE_NANOS = 5_000_000_000L;

  private final SessionWorkerOptions options;
  private final String node;
  private final HeldSessions<S> book;
  private final SessionNodes nodes;
  private final LongSupplier nanoTime;
  private final Supplier<Integer> cap;
  private final BooleanSupplier isListed;
  private final Runnable leave;
  private volatile NodePlace place;
  private volatile SessionWorkerClient client;
  // Used by the thread only.
  private UUID incarnation = UUID.randomUUID();
  private boolean registered;
  private Duration heartbeat = Duration.ofMinutes(1);
  private Duration deadline = Duration.ZERO;
  private long poll;
  private SessionPoll unanswered;
  // Results of a poll that was refused as a whole.
  private final ArrayDeque<List<SessionResult>> parts = new ArrayDeque<>();
  private Integer registeredCap;
  private boolean capFailed;
  private long busyPause = FIRST_BUSY_NANOS;
  private long pause = FIRST_PAUSE_NANOS;
  private long unregisteredSince;

  /**
   * One that has not registered yet.
   *
   * @param cap the most sessions from this node, which may change; null for no limit
   * @param isListed whether the queue node has sessions as far as is known
   * @param leave called when the node asks the worker to end, or it gives up; must not block
   */
  SessionAttachment(
      SessionWorkerOptions options,
      NodePlace place,
      HeldSessions<S> book,
      SessionNodes nodes,
      LongSupplier nanoTime,
      Supplier<Integer> cap,
      BooleanSupplier isListed,
      Runnable leave) {
    this.options = options;
    this.node = place.name();
    this.book = book;
    this.nodes = nodes;
    this.nanoTime = nanoTime;
    this.cap = cap;
    this.isListed = isListed;
    this.leave = leave;
    this.unregisteredSince = nanoTime.getAsLong();
    at(place);
  }

  /** Calls the node at its present address. */
  void at(NodePlace found) {
    if (!found.equals(place)) {
      client =
          new SessionWorkerClient(nodes.at(found.address()), options.queue(), options.worker());
      place = found;
    }
  }

  /** Works until asked to end, or the node has no sessions of the queue any more. */
  @Override
  public void run() {
    try {
      while (!isOver()) {
        step();
      }
      book.close();
      while (registered && !book.isIdle()) {
        step();
      }
      if (registered) {
        client.leave(incarnation, shorter(ANSWER, options.leaveWithin()));
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      book.discard();
    } catch (MillraceException e) {
      // The node retires a worker of which it hears nothing more.
      report(e);
    } catch (RuntimeException | Error e) {
      // As soon as the thread has ended the worker registers anew, and the node gives its sessions
      // to others.
      book.abandon();
      HeldSession.uncaught(e);
      awaitEndOfWork();
    }
  }

  private void awaitEndOfWork() {
    try {
      book.awaitWork();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private void report(MillraceException problem) {
    HeldSession.guarded(() -> book.handler().onProblem(node, problem));
  }

  private boolean isOver() {
    if (registered) {
      return book.isEnding() && unanswered == null && parts.isEmpty() && book.isIdle();
    }
    return book.isEnding() || !isListed.getAsBoolean();
  }

  private void step() throws InterruptedException {
    book.endOverdue();
    if (registered && book.isLost()) {
      forget();
      return;
    }
    try {
      if (!registered || capIsDue()) {
        register();
      } else {
        poll();
      }
      pause = FIRST_PAUSE_NANOS;
    } catch (MillraceException e) {
      report(e);
      if (e.code() == ErrorCode.UNAUTHENTICATED) {
        nodes.refused();
      }
      if (registered && e.code() == ErrorCode.UNKNOWN_WORKER) {
        forget();
      } else if (!isDivided(e)) {
        waitAfterFailure();
      }
    }
  }

  /** Whether what was refused is sent otherwise, as it would be refused again. */
  private boolean isDivided(MillraceException refusal) {
    if (unanswered == null || !isRefused(refusal)) {
      return false;
    }
    List<SessionResult> sent = unanswered.results();
    unanswered = null;
    if (sent.size() > 1) {
      int half = sent.size() / 2;
      parts.addFirst(sent.subList(half, sent.size()));
      parts.addFirst(sent.subList(0, half));
      book.failuresComeIn(Long.MAX_VALUE, sent);
    } else if (sent.size() == 1) {
      giveUp(sent.get(0), refusal);
    }
    return !sent.isEmpty();
  }

  // An answer of the node that cannot be read has a cause.
  private static boolean isRefused(MillraceException refusal) {
    return REFUSALS.contains(refusal.code())
        || (refusal.code() == ErrorCode.MALFORMED_BODY && refusal.getCause() == null);
  }

  private void giveUp(SessionResult result, MillraceException refusal) {
    String what =
        "%s of session '%s' was refused, and the session is returned: %s"
            .formatted(result.kind(), result.key(), refusal.getMessage());
    List<List<SessionResult>> others = List.copyOf(parts);
    parts.clear();
    for (List<SessionResult> part : others) {
      List<SessionResult> kept =
          part.stream()
              .filter(
                  one -> !one.key().equals(result.key()) || !one.number().equals(result.number()))
              .toList();
      if (!kept.isEmpty()) {
        parts.add(kept);
      }
    }
    book.refused(result, what);
    report(new MillraceException(refusal.code(), what));
  }

  private void waitAfterFailure() throws InterruptedException {
    if (!registered
        && options.giveUpAfter() != null
        && nanoTime.getAsLong() - unregisteredSince >= options.giveUpAfter().toNanos()) {
      leave.run();
      return;
    }
    if (registered) {
      book.awaitRetry(Math.min(pause, Math.max(1, book.nanosToNextEnd())));
    } else {
      book.awaitEnd(pause);
    }
    pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
  }

  /** The sessions may be others': a new process begins without any. */
  private void forget() throws InterruptedException {
    registered = false;
    unanswered = null;
    parts.clear();
    poll = 0;
    incarnation = UUID.randomUUID();
    unregisteredSince = nanoTime.getAsLong();
    book.discard();
    // The node may give them to others as soon as it knows of the new process.
    book.awaitWork();
  }

  private boolean capIsDue() {
    return unanswered == null
        && !capFailed
        && !book.isEnding()
        && !Objects.equals(cap.get(), registeredCap);
  }

  private void register() throws InterruptedException {
    Integer asked = cap.get();
    Duration within = registered ? answerTime(Duration.ZERO) : ANSWER;
    long begun = nanoTime.getAsLong();
    // If it fails, polls go on, and it is tried again after the next answer.
    capFailed = true;
    WorkerRegistered answer =
        client.register(
            new WorkerRegistration(incarnation, asked, options.name(), options.job(), registered),
            within);
    capFailed = false;
    if (registered && answer.outcome() != RegistrationOutcome.REPEATED) {
      // A node of an earlier version: it was retired, and employed again without sessions.
      forget();
      return;
    }
    registeredCap = asked;
    heartbeat = answer.heartbeat();
    deadline = answer.deadline();
    if (!registered) {
      // Only polls prolong the time of sessions.
      book.begin(begun, deadline.toNanos());
    }
    registered = true;
  }

  private void poll() throws InterruptedException {
    if (unanswered == null) {
      unanswered = next();
    }
    if (book.isLost() || book.isOverdue()) {
      return;
    }
    List<SessionResult> sent = unanswered.results();
    boolean patient = unanswered.patience() != null;
    Duration within = answerTime(patient ? unanswered.patience() : Duration.ZERO);
    long begun = nanoTime.getAsLong();
    PollAnswered answer = client.poll(unanswered, within);
    boolean waited = nanoTime.getAsLong() - begun >= SHORTEST_ROUND_NANOS;
    unanswered = null;
    poll++;
    capFailed = false;
    heartbeat = answer.heartbeat();
    deadline = answer.deadline();
    book.answered(answer, begun, sent);
    if (answer.leave()) {
      leave.run();
    }
    if (patient && !waited && book.isIdle() && !book.isEnding()) {
      // A node that does not wait is not to be asked without end.
      book.awaitEnd(SHORTEST_ROUND_NANOS);
    }
  }

  /** The next poll, as soon as it is worth sending. */
  private SessionPoll next() throws InterruptedException {
    if (!parts.isEmpty()) {
      List<SessionResult> part = parts.remove();
      book.failuresComeIn(poll + 1, part);
      return new SessionPoll(incarnation, poll + 1, book.room(), null, part);
    }
    book.awaitResults(book.room() == 0 ? LONGEST_BUSY_NANOS : busyPause);
    List<SessionResult> results = book.results(poll + 1);
    boolean idle = results.isEmpty() && book.isIdle();
    busyPause =
        idle || !results.isEmpty() ? FIRST_BUSY_NANOS : Math.min(LONGEST_BUSY_NANOS, 2 * busyPause);
    Duration patience =
        idle && !book.isEnding()
            ? shorter(options.patience(), shorter(heartbeat, deadline).dividedBy(2))
            : null;
    return new SessionPoll(incarnation, poll + 1, book.room(), patience, results);
  }

  /** No longer than any session may be worked on, besides the patience of a poll. */
  private Duration answerTime(Duration patience) {
    Duration left = Duration.ofNanos(Math.max(0, book.nanosToNextEnd())).minus(patience);
    Duration allowed = shorter(ANSWER, left);
    return allowed.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : allowed;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
