package io.millrace.bench.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.bench.session.SessionCalls.DeliveredSession;
import io.millrace.bench.session.SessionCalls.PollOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker of sessions that notes what it receives, acknowledges it with the next poll, and
 * completes a session with its last event. It stays registered from one round to the next. One
 * thread, apart from {@link #kill}.
 */
final class SessionBenchWorker {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final long PAUSE = Duration.ofMillis(100).toNanos();
  private static final int NOT_FOUND = 404;
  private static final int SERVER_ERROR = 500;

  private final SessionCalls client;
  private final String name;
  private final int cap;
  private final int max;
  private final AtomicBoolean killed = new AtomicBoolean();
  private UUID id = UUID.randomUUID();
  private UUID incarnation = UUID.randomUUID();
  private boolean registered;
  private long poll;
  private List<SessionResult> results = List.of();

  /**
   * A worker that has not registered.
   *
   * @param cap the most sessions that it takes
   * @param max the most events of one poll
   */
  SessionBenchWorker(SessionCalls client, String name, int cap, int max) {
    this.client = client;
    this.name = name;
    this.cap = cap;
    this.max = max;
  }

  /**
   * Lets it stop at once, without a word to the node; another worker takes its place. Any thread.
   */
  void kill() {
    killed.set(true);
  }

  /** Works until the round is over. */
  void work(SessionRound round) {
    while (!round.over() && !Thread.currentThread().isInterrupted()) {
      try {
        step(round);
      } catch (IOException unanswered) {
        LockSupport.parkNanos(PAUSE);
      } catch (MillraceException refused) {
        refused(refused);
      }
    }
  }

  private void step(SessionRound round) throws IOException {
    if (!registered) {
      client.register(id, incarnation, cap, name);
      registered = true;
      poll = 1;
    }
    PollOutcome answer =
        client.poll(id, new SessionPoll(incarnation, poll, max, PATIENCE, results));
    noteCompleted(round.check(), answer);
    if (killed.getAndSet(false)) {
      // What it was sent dies with it; what the node has confirmed is done, and nobody is told
      // again.
      id = UUID.randomUUID();
      again();
      return;
    }
    poll++;
    results = take(round, answer);
  }

  private void noteCompleted(KeyOrderCheck check, PollOutcome answer) {
    for (int index = 0; index < answer.answers().size() && index < results.size(); index++) {
      if (results.get(index).kind() == ResultKind.COMPLETED
          && answer.answers().get(index).outcome() == ResultOutcome.DONE) {
        check.completed(results.get(index).key());
      }
    }
  }

  private List<SessionResult> take(SessionRound round, PollOutcome answer) {
    KeyOrderCheck check = round.check();
    for (ResultAnswer result : answer.answers()) {
      if (result.outcome() == ResultOutcome.STALE || result.outcome() == ResultOutcome.UNKNOWN) {
        round.stale();
      }
    }
    List<SessionResult> next = new ArrayList<>();
    int first = 0;
    for (DeliveredSession session : answer.sessions()) {
      first += check.deliver(id, session);
      next.add(result(round, session));
    }
    for (RevokedSession session : answer.revoked()) {
      next.add(
          new SessionResult(
              session.key(),
              session.number(),
              check.last(session.key()),
              ResultKind.RELEASED,
              null,
              null));
    }
    round.received(first);
    return next;
  }

  private static SessionResult result(SessionRound round, DeliveredSession session) {
    long through = session.events().get(session.events().size() - 1).n();
    int length = round.source().length(session.key());
    ResultKind kind =
        length > 0 && through >= length ? ResultKind.COMPLETED : ResultKind.ACKNOWLEDGED;
    return new SessionResult(session.key(), session.number(), through, kind, null, null);
  }

  private void refused(MillraceException problem) {
    ErrorCode code = problem.code();
    if (code == ErrorCode.UNKNOWN_WORKER) {
      again();
    } else if (code.status() == NOT_FOUND || code.status() >= SERVER_ERROR) {
      // A node that has just been started knows nothing of its queues yet.
      LockSupport.parkNanos(PAUSE);
    } else {
      throw problem;
    }
  }

  private void again() {
    incarnation = UUID.randomUUID();
    registered = false;
    results = List.of();
  }
}
