package io.millrace.tests.drill.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.session.SessionEntry.Abandoned;
import io.millrace.tests.drill.session.SessionEntry.Begun;
import io.millrace.tests.drill.session.SessionEntry.Ended;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * A worker at one queue node by calls of its own. It works on sessions until its deadline only. A
 * program outside then registers again, and reports the results of the sessions that it has lost by
 * then, as if they had been delayed; a job ends. Runs on one thread.
 */
final class WireWorker implements Runnable {
  // Not enough for all sessions: jobs get the others.
  private static final int CAP = 3;
  private static final int LARGEST = 20;
  private static final int SHORTEST_WORK_MILLIS = 2;
  private static final int LONGEST_WORK_MILLIS = 15;
  private static final Duration PATIENCE = Duration.ofMillis(400);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final long PAUSE_MILLIS = 150;
  // When it reports what it has lost.
  private static final long EARLIEST_NANOS = 100_000_000;
  private static final long LATEST_NANOS = 400_000_000;

  private final JournalWorker name;
  private final SessionJournal journal;
  private final ApiClient node;
  private final String queue;
  private final RandomGenerator random;
  private final Watchdog watchdog;
  private final UUID id = UUID.randomUUID();
  private final CountDownLatch never = new CountDownLatch(1);
  private final Map<String, Held> held = new HashMap<>();
  private final List<SessionResult> results = new ArrayList<>();
  // Of sessions that it has lost, to be reported at that time.
  private final List<SessionResult> late = new ArrayList<>();
  private long lateAt = System.nanoTime();
  private UUID incarnation;
  private Duration deadline;
  private long until;
  private long polls;
  private boolean leaving;

  /**
   * A worker.
   *
   * @param node address of the queue node
   * @param watchdog of a job; does nothing for a program outside
   */
  WireWorker(
      JournalWorker name,
      SessionJournal journal,
      HttpTransport transport,
      URI node,
      String token,
      String queue,
      RandomGenerator random,
      Watchdog watchdog) {
    this.name = name;
    this.journal = journal;
    this.node =
        new ApiClient(
            new JournalingTransport(transport, name, journal, (key, number) -> {}),
            new Endpoints(List.of(node)),
            () -> token);
    this.queue = queue;
    this.random = random;
    this.watchdog = watchdog;
  }

  /** Ends the process if it has not been given more time. */
  interface Watchdog {
    /** The process may live until then, in seconds since boot. */
    void allowUntil(double end);
  }

  /** A session that it has. */
  private static final class Held {
    final SessionNumber number;
    KeyState state;
    boolean released;

    Held(SessionNumber number, KeyState state) {
      this.number = number;
      this.state = state;
    }
  }

  @Override
  public void run() {
    try {
      do {
        register();
        work();
      } while (!name.watched() && !leaving);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void register() throws InterruptedException {
    incarnation = UUID.randomUUID();
    polls = 0;
    WorkerRegistration registration =
        new WorkerRegistration(incarnation, name.watched() ? null : CAP, name.toString(), null);
    URI place = URI.create(ApiClient.path("/v1/queues/%s/session-workers/%s", queue, id));
    while (true) {
      long began = System.nanoTime();
      double beganAt = Uptime.now();
      try {
        WorkerRegistered answer =
            node.send(HttpCall.put(place, registration).within(TIMEOUT)).as(WorkerRegistered.class);
        deadline = answer.deadline();
        allow(began, beganAt);
        return;
      } catch (MillraceException e) {
        pause(PAUSE_MILLIS);
      }
    }
  }

  /** Until its deadline, or until the node no longer knows it. */
  private void work() throws InterruptedException {
    SessionPoll poll = null;
    while (mayWork()) {
      if (poll == null) {
        if (System.nanoTime() - lateAt >= 0) {
          results.addAll(late);
          late.clear();
        }
        poll =
            new SessionPoll(
                incarnation,
                ++polls,
                leaving ? 0 : LARGEST,
                results.isEmpty() ? PATIENCE : null,
                List.copyOf(results));
        results.clear();
      }
      long began = System.nanoTime();
      double beganAt = Uptime.now();
      PollAnswered answer;
      try {
        answer = node.send(call(poll)).as(PollAnswered.class);
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.UNKNOWN_WORKER) {
          break;
        }
        pause(PAUSE_MILLIS);
        continue;
      }
      allow(began, beganAt);
      note(poll.results(), answer);
      poll = null;
      answer.revoked().forEach(this::giveBack);
      for (SessionDelivery one : answer.sessions()) {
        if (!handle(one)) {
          break;
        }
      }
      if (answer.leave() && !leaving) {
        leaving = true;
        held.forEach((key, mine) -> giveBack(new RevokedSession(key, mine.number)));
      }
      if (leaving && held.isEmpty() && results.isEmpty()) {
        leave();
        return;
      }
    }
    loseAll(poll == null ? List.of() : poll.results());
  }

  private HttpCall call(SessionPoll poll) {
    URI place = URI.create(ApiClient.path("/v1/queues/%s/session-workers/%s/polls", queue, id));
    Duration left = Duration.ofNanos(Math.max(until - System.nanoTime(), 1_000_000));
    return HttpCall.post(place, poll).within(left.compareTo(TIMEOUT) < 0 ? left : TIMEOUT);
  }

  private void allow(long began, double beganAt) {
    until = began + deadline.toNanos();
    watchdog.allowUntil(beganAt + deadline.toMillis() / 1e3);
  }

  private void leave() {
    try {
      node.delete(
          ApiClient.path(
              "/v1/queues/%s/session-workers/%s?incarnation=%s", queue, id, incarnation));
    } catch (MillraceException e) {
      // It is retired when it is not heard of any more.
      journal.add(new Abandoned(Uptime.now(), name, "-", new SessionNumber(0, 0), "leaves"));
    }
  }

  private boolean mayWork() {
    return until - System.nanoTime() > 0;
  }

  private void note(List<SessionResult> asked, PollAnswered answer) {
    for (int i = 0; i < answer.answers().size(); i++) {
      SessionResult one = asked.get(i);
      ResultOutcome outcome = answer.answers().get(i).outcome();
      boolean ends =
          one.kind() == ResultKind.RELEASED
              || (one.kind() == ResultKind.COMPLETED && outcome == ResultOutcome.DONE)
              || outcome == ResultOutcome.STALE
              || outcome == ResultOutcome.UNKNOWN;
      Held mine = held.get(one.key());
      if (ends && mine != null && mine.number.equals(one.number())) {
        held.remove(one.key());
      }
    }
  }

  private void giveBack(RevokedSession revoked) {
    Held mine = held.get(revoked.key());
    // Also one that it does not know: the delivery may have been lost.
    long through = mine != null && mine.number.equals(revoked.number()) ? mine.state.through() : 0;
    if (mine == null || !mine.released) {
      results.add(
          new SessionResult(
              revoked.key(), revoked.number(), through, ResultKind.RELEASED, null, null));
    }
    if (mine != null && mine.number.equals(revoked.number())) {
      mine.released = true;
    }
  }

  /** False once its deadline has passed. */
  private boolean handle(SessionDelivery delivery) throws InterruptedException {
    String key = delivery.key();
    Held mine = held.get(key);
    if (mine == null || mine.number.compareTo(delivery.number()) < 0) {
      mine = new Held(delivery.number(), KeyState.of(delivery.snapshot()));
      held.put(key, mine);
    }
    if (mine.released || !mine.number.equals(delivery.number())) {
      return true;
    }
    for (SessionEvent event : delivery.events()) {
      if (event.n() > mine.state.through()) {
        if (!mayWork()) {
          return false;
        }
        journal.add(new Begun(Uptime.now(), name, key, mine.number, event.n(), event.id()));
        pause(random.nextInt(SHORTEST_WORK_MILLIS, LONGEST_WORK_MILLIS));
        mine.state = mine.state.after(event);
        journal.add(new Ended(Uptime.now(), name, key, mine.number, event.n()));
      }
    }
    results.add(result(key, mine));
    return true;
  }

  private SessionResult result(String key, Held mine) {
    ResultKind kind = ResultKind.COMPLETED;
    if (!mine.state.last()) {
      int chance = random.nextInt(20);
      kind =
          chance < 6
              ? ResultKind.SNAPSHOT
              : chance < 7 ? ResultKind.RELEASED : ResultKind.ACKNOWLEDGED;
    }
    mine.released = kind == ResultKind.RELEASED;
    JsonNode snapshot = kind == ResultKind.SNAPSHOT ? mine.state.json() : null;
    return new SessionResult(key, mine.number, mine.state.through(), kind, snapshot, null);
  }

  /** What it could not report, it reports late: another worker may have the sessions by then. */
  private void loseAll(List<SessionResult> unanswered) {
    if (late.isEmpty()) {
      lateAt = System.nanoTime() + random.nextLong(EARLIEST_NANOS, LATEST_NANOS);
    }
    late.addAll(unanswered);
    late.addAll(results);
    held.forEach(
        (key, mine) -> {
          journal.add(new Abandoned(Uptime.now(), name, key, mine.number, "lost"));
          if (late.stream().noneMatch(one -> one.key().equals(key))) {
            late.add(result(key, mine));
          }
        });
    held.clear();
    results.clear();
  }

  private void pause(long millis) throws InterruptedException {
    never.await(millis, TimeUnit.MILLISECONDS);
  }
}
