package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionNodes.NodePlace;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A worker's registration at one queue node: one thread that registers, polls, and reports.
 *
 * <p>It polls one at a time. While handlers are busy it asks without waiting, and reports as soon
 * as there is something to report; only when nothing is in work the node waits for events. What the
 * node has not answered is sent again unchanged. Once the node's deadline has passed without an
 * answer, or the node does not know the worker, all its sessions are forgotten and the worker
 * registers as a new process, because the node may have given them to others.
 *
 * @param <S> what the program keeps of one session
 */
final class SessionAttachment<S> implements Runnable {
  private static final Duration ANSWER = Duration.ofSeconds(15);
  private static final Duration SHORTEST_CALL = Duration.ofMillis(500);
  private static final long FIRST_BUSY_NANOS = 2_000_000;
  private static final long LONGEST_BUSY_NANOS = 250_000_000;
  private static final long SHORTEST_ROUND_NANOS = 50_000_000;
  private static final long FIRST_PAUSE_NANOS = 100_000_000;
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
  private long busyPause = FIRST_BUSY_NANOS;
  private long pause = FIRST_PAUSE_NANOS;
  private long unregisteredSince;

  /**
   * One that has not registered yet.
   *
   * @param cap the most sessions from this node, at the time of the registration; null for no limit
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
      if (registered) {
        client.leave(incarnation, shorter(ANSWER, options.leaveWithin()));
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      book.discard();
    } catch (MillraceException e) {
      // The node retires a worker of which it hears nothing more.
      book.handler().onProblem(node, e);
    }
  }

  private boolean isOver() {
    if (registered) {
      return book.isEnding() && unanswered == null && book.isIdle();
    }
    return book.isEnding() || !isListed.getAsBoolean();
  }

  private void step() throws InterruptedException {
    if (registered && book.isOverdue()) {
      forget();
      return;
    }
    book.endOverdue();
    try {
      if (registered) {
        poll();
      } else {
        register();
      }
      pause = FIRST_PAUSE_NANOS;
    } catch (MillraceException e) {
      book.handler().onProblem(node, e);
      if (e.code() == ErrorCode.UNAUTHENTICATED) {
        nodes.refused();
      }
      if (registered && e.code() == ErrorCode.UNKNOWN_WORKER) {
        forget();
      } else {
        waitAfterFailure();
      }
    }
  }

  private void waitAfterFailure() throws InterruptedException {
    long left = registered ? Math.max(1, book.nanosToNextEnd()) : Long.MAX_VALUE;
    if (!registered
        && options.giveUpAfter() != null
        && nanoTime.getAsLong() - unregisteredSince >= options.giveUpAfter().toNanos()) {
      leave.run();
      return;
    }
    book.awaitEnd(Math.min(pause, left));
    pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
  }

  /** The sessions may be others': a new process begins without any. */
  private void forget() {
    registered = false;
    unanswered = null;
    poll = 0;
    incarnation = UUID.randomUUID();
    unregisteredSince = nanoTime.getAsLong();
    book.discard();
  }

  private void register() {
    long begun = nanoTime.getAsLong();
    WorkerRegistered answer =
        client.register(
            new WorkerRegistration(incarnation, cap.get(), options.name(), options.job()), ANSWER);
    heartbeat = answer.heartbeat();
    deadline = answer.deadline();
    book.allowUntil(begun + deadline.toNanos());
    registered = true;
  }

  private void poll() throws InterruptedException {
    if (unanswered == null) {
      unanswered = next();
    }
    if (book.isOverdue()) {
      return;
    }
    List<SessionResult> sent = unanswered.results();
    long begun = nanoTime.getAsLong();
    PollAnswered answer = client.poll(unanswered, answerTime());
    boolean waited = nanoTime.getAsLong() - begun >= SHORTEST_ROUND_NANOS;
    boolean patient = unanswered.patience() != null;
    unanswered = null;
    poll++;
    heartbeat = answer.heartbeat();
    deadline = answer.deadline();
    book.allowUntil(begun + deadline.toNanos());
    book.answered(answer, sent);
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
  private Duration answerTime() {
    Duration left = Duration.ofNanos(Math.max(0, book.nanosToNextEnd()));
    if (unanswered.patience() != null) {
      left = left.minus(unanswered.patience());
    }
    Duration allowed = shorter(ANSWER, left);
    return allowed.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : allowed;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
