package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.session.WorkerSignals.PollWait;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.Polled;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Notes what workers report, and waits for events for them without occupying threads. While
 * consuming is paused nothing is delivered, but results and heartbeats are taken. Thread-safe.
 */
public final class SessionPolls {
  /** The longest wait for a first event. */
  public static final Duration LONGEST_PATIENCE = Duration.ofSeconds(20);

  private static final long POLL_BYTES = 8L << 20;
  private static final int ANSWERERS = 2;
  private static final int MOST = 10_000;

  private final SessionRules rules;
  private final SessionCommits commits;
  private final WorkerSignals signals;
  private final Clock clock;
  private final ExecutorService answerers;

  SessionPolls(
      String node,
      SessionRules rules,
      SessionCommits commits,
      WorkerSignals signals,
      Clock clock) {
    this.rules = rules;
    this.commits = commits;
    this.signals = signals;
    this.clock = clock;
    this.answerers =
        Executors.newFixedThreadPool(ANSWERERS, Threads.daemons(node + "-session-answerer"));
  }

  /**
   * Notes results, and delivers events as soon as there are any, within the poll's patience: at
   * most a heartbeat, so that the worker is heard of in time. The future is completed on one of
   * this node's threads for answers, possibly with a {@link MillraceException}. A poll with results
   * is answered at once.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_SESSION, INVALID_REQUEST or UNAVAILABLE
   */
  public CompletableFuture<PollAnswered> poll(String queue, UUID worker, SessionPoll poll) {
    QueueDefinition definition = rules.require(queue);
    requireReadable(poll);
    if (poll.max() == 0 || !poll.results().isEmpty() || patience(definition, poll).isZero()) {
      // Not a wait: it leaves the one that waits alone.
      return answered(once(queue, worker, poll).thenApply(Polled::answer));
    }
    PollWait wait = signals.begin(queue, worker);
    long deadline = clock.nanoTime() + patience(definition, poll).toNanos();
    try {
      return answered(
          until(queue, worker, poll, wait, deadline)
              .whenComplete((answer, failure) -> signals.end(queue, worker, wait)));
    } catch (RuntimeException refusal) {
      signals.end(queue, worker, wait);
      throw refusal;
    }
  }

  private static void requireReadable(SessionPoll poll) {
    boolean readable =
        poll.incarnation() != null
            && poll.poll() >= 1
            && poll.max() >= 0
            && poll.max() <= MOST
            && poll.results().size() <= MOST
            && (poll.patience() == null || !poll.patience().isNegative());
    if (!readable) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a poll has an incarnation, a number from 1, a max from 0 to "
              + MOST
              + ", a patience that is not negative, and at most "
              + MOST
              + " results");
    }
    boolean whole =
        poll.results().stream()
            .allMatch(
                result ->
                    result.key() != null
                        && result.number() != null
                        && result.kind() != null
                        && result.through() >= 0);
    if (!whole) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "each result has key, number, through and kind");
    }
  }

  private static Duration patience(QueueDefinition definition, SessionPoll poll) {
    Duration most = definition.sessions().heartbeat();
    most = most.compareTo(LONGEST_PATIENCE) < 0 ? most : LONGEST_PATIENCE;
    Duration asked = poll.patience() == null ? Duration.ZERO : poll.patience();
    return asked.compareTo(most) < 0 ? asked : most;
  }

  private CompletableFuture<PollAnswered> until(
      String queue, UUID worker, SessionPoll poll, PollWait wait, long deadline) {
    return once(queue, worker, poll)
        .thenCompose(
            polled ->
                isWorthAnAnswer(polled.answer())
                    ? CompletableFuture.completedFuture(polled.answer())
                    : wait.await(Duration.ofNanos(deadline - clock.nanoTime()))
                        .thenCompose(
                            rung ->
                                rung
                                    ? until(queue, worker, poll, wait, deadline)
                                    : CompletableFuture.completedFuture(polled.answer())));
  }

  private static boolean isWorthAnAnswer(PollAnswered answer) {
    return answer.leave() || !answer.sessions().isEmpty() || !answer.revoked().isEmpty();
  }

  /** Looks once. What it delivers or notes must be on disk before it is answered. */
  private CompletableFuture<Polled> once(String queue, UUID worker, SessionPoll poll) {
    DeliveryRules delivery = SessionRules.delivery(rules.require(queue));
    SessionPoll now = rules.topology().consumingPaused(queue) ? withoutEvents(poll) : poll;
    boolean lasting = now.max() > 0 || !now.results().isEmpty();
    return commits.withinLater(
        new Change<SessionStore, Polled>(
            queue, 0, lasting, s -> s.poll(queue, worker, now, delivery, POLL_BYTES)),
        Polled::effects);
  }

  private static SessionPoll withoutEvents(SessionPoll poll) {
    return new SessionPoll(poll.incarnation(), poll.poll(), 0, poll.patience(), poll.results());
  }

  private CompletableFuture<PollAnswered> answered(CompletableFuture<PollAnswered> later) {
    return later.thenApplyAsync(
        answer -> {
          commits.requireLease();
          return answer;
        },
        this::answer);
  }

  private void answer(Runnable task) {
    try {
      answerers.execute(task);
    } catch (RejectedExecutionException stopped) {
      // The node is stopping: late callers are answered by the completing thread.
      task.run();
    }
  }

  /** Whether there is nothing in an answer. */
  static boolean isEmpty(PollAnswered answer) {
    return answer.answers().isEmpty() && !isWorthAnAnswer(answer);
  }

  /** The answer of a poll that was not looked at. */
  static PollAnswered none(long poll) {
    return new PollAnswered(poll, List.of(), List.of(), List.of(), false);
  }

  void close() {
    answerers.shutdown();
  }
}
