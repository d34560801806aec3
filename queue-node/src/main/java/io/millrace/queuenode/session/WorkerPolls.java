package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.session.WorkerSignals.PollWait;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.Polled;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Notes what workers report, and waits for events for them without occupying threads. While
 * consuming is paused nothing is delivered, but results and heartbeats are taken. Thread-safe.
 */
public final class WorkerPolls {
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
  // As many as there are streams.
  private final Map<WorkerOfQueue, WorkerStream> streams = new ConcurrentHashMap<>();
  private final AtomicLong requests = new AtomicLong();
  private volatile boolean closed;

  // Of registered workers that are to give something back, and whose last poll waited.
  private final Map<WorkerOfQueue, Told> told = new ConcurrentHashMap<>();

  private record WorkerOfQueue(String queue, UUID worker) {}

  private record Told(long poll, Set<RevokedSession> revoked, boolean leave) {
    /** A repeated poll is told the same again, as its answer may have been lost. */
    boolean saysElse(Told now) {
      return poll == now.poll || leave != now.leave || !revoked.equals(now.revoked);
    }
  }

  WorkerPolls(
      String node, SessionRules rules, SessionCommits commits, WorkerSignals signals, Clock clock) {
    this.rules = rules;
    this.commits = commits;
    this.signals = signals;
    this.clock = clock;
    this.answerers =
        Executors.newFixedThreadPool(ANSWERERS, Threads.daemons(node + "-session-answerer"));
    commits.onRetired((queue, worker) -> told.remove(new WorkerOfQueue(queue, worker)));
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
    WorkerOfQueue key = new WorkerOfQueue(queue, worker);
    WorkerStream stream = streams.get(key);
    if (poll.max() == 0 && stream != null && stream.isOf(poll.incarnation())) {
      return answered(
          stream
              .reported(number -> once(queue, worker, poll, number, requests.incrementAndGet()))
              .thenApply(Polled::answer));
    }
    if (poll.max() == 0
        || !poll.results().isEmpty()
        || patience(definition, poll.patience()).isZero()) {
      // One that waits ends: looking again under its older number would deliver all anew.
      signals.end(queue, worker, signals.begin(queue, worker, poll.incarnation()));
      return answered(
          once(queue, worker, poll, poll.poll(), requests.incrementAndGet())
              .whenComplete((polled, refusal) -> told.remove(key))
              .thenApply(Polled::answer));
    }
    PollWait wait = signals.begin(queue, worker, poll.incarnation());
    long deadline = clock.nanoTime() + patience(definition, poll.patience()).toNanos();
    long request = requests.incrementAndGet();
    try {
      return answered(
          until(key, () -> once(queue, worker, poll, poll.poll(), request), wait, deadline)
              .whenComplete((answer, failure) -> signals.end(queue, worker, wait)));
    } catch (RuntimeException refusal) {
      signals.end(queue, worker, wait);
      throw refusal;
    }
  }

  /**
   * Opens a stream to a worker, and ends an older one of the same worker: each would end the wait
   * of the other, and both would look for events without a pause.
   *
   * @throws MillraceException UNKNOWN_QUEUE or UNKNOWN_SESSION
   */
  public WorkerStream stream(String queue, UUID worker, UUID incarnation) {
    rules.require(queue);
    WorkerOfQueue key = new WorkerOfQueue(queue, worker);
    WorkerStream[] mine = new WorkerStream[1];
    mine[0] =
        new WorkerStream(
            this, queue, worker, incarnation, clock, () -> streams.remove(key, mine[0]));
    WorkerStream older = streams.put(key, mine[0]);
    if (older != null) {
      older.end();
    }
    if (closed) {
      mine[0].end();
    }
    return mine[0];
  }

  CompletableFuture<PollAnswered> streamed(
      WorkerStream stream, String queue, UUID worker, int max, Duration patience) {
    QueueDefinition definition = rules.require(queue);
    SessionPoll look = new SessionPoll(stream.incarnation(), 0, max, null, List.of());
    PollWait wait = signals.begin(queue, worker, stream.incarnation());
    stream.waits(wait);
    long deadline = clock.nanoTime() + patience(definition, patience).toNanos();
    long request = requests.incrementAndGet();
    try {
      return answered(
          until(
                  new WorkerOfQueue(queue, worker),
                  () -> stream.numbered(number -> once(queue, worker, look, number, request)),
                  wait,
                  deadline)
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
    // They are kept until the next poll.
    if (poll.results().stream().anyMatch(result -> result.key().length() > SessionKey.LONGEST)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "no session has a key of more than " + SessionKey.LONGEST + " characters");
    }
    poll.results().forEach(WorkerPolls::requireMovable);
  }

  /** A larger snapshot would not go into a part of a slot, and the slot to no other node. */
  private static void requireMovable(SessionResult result) {
    int bytes = result.snapshot() == null ? 0 : Json.writeBytes(result.snapshot()).length;
    if (bytes > SessionWorkerCalls.LARGEST_SNAPSHOT) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the snapshot of the session '%s' has %d bytes, the most are %d; keep less in it, such as a"
                  .formatted(result.key(), bytes, SessionWorkerCalls.LARGEST_SNAPSHOT)
              + " reference to what is stored elsewhere");
    }
  }

  private static Duration patience(QueueDefinition definition, Duration given) {
    Duration most = definition.sessions().heartbeat();
    most = most.compareTo(LONGEST_PATIENCE) < 0 ? most : LONGEST_PATIENCE;
    Duration asked = given == null ? Duration.ZERO : given;
    return asked.compareTo(most) < 0 ? asked : most;
  }

  private CompletableFuture<PollAnswered> until(
      WorkerOfQueue key, Supplier<CompletableFuture<Polled>> look, PollWait wait, long deadline) {
    return look.get()
        .whenComplete(
            (polled, refusal) -> {
              if (refusal != null) {
                told.remove(key);
              }
            })
        .thenCompose(
            polled ->
                isNews(key, polled.answer()) || polled.repeats()
                    ? CompletableFuture.completedFuture(polled.answer())
                    : wait.await(Duration.ofNanos(deadline - clock.nanoTime()))
                        .thenCompose(
                            rung ->
                                rung
                                    ? until(key, look, wait, deadline)
                                    : CompletableFuture.completedFuture(polled.answer())));
  }

  /** What a worker was told before is no news, or it would ask without end. */
  private boolean isNews(WorkerOfQueue key, PollAnswered answer) {
    if (!answer.leave() && answer.revoked().isEmpty()) {
      told.remove(key);
      return !answer.sessions().isEmpty();
    }
    Told now = new Told(answer.poll(), Set.copyOf(answer.revoked()), answer.leave());
    Told before = told.put(key, now);
    return !answer.sessions().isEmpty() || before == null || before.saysElse(now);
  }

  /** Looks once. What it delivers or notes must be on disk before it is answered. */
  private CompletableFuture<Polled> once(
      String queue, UUID worker, SessionPoll poll, long number, long request) {
    DeliveryRules delivery = rules.delivery(rules.require(queue));
    SessionPoll now = rules.topology().consumingPaused(queue) ? withoutEvents(poll) : poll;
    boolean lasting = now.max() > 0 || !now.results().isEmpty();
    return commits.withinLater(
        new Change<SessionStore, Polled>(
            queue,
            0,
            lasting,
            s -> s.poll(queue, worker, now, number, request, delivery, POLL_BYTES)),
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

  /** Forgets what the workers of a removed queue were told: none of them is retired. */
  void forget(String queue) {
    told.keySet().removeIf(worker -> worker.queue().equals(queue));
  }

  /** Workers of which it is kept what they were told. */
  int told() {
    return told.size();
  }

  void close() {
    closed = true;
    List.copyOf(streams.values()).forEach(WorkerStream::end);
    answerers.shutdown();
  }
}
