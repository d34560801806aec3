package io.millrace.manager.weight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.queue.QueueControls;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.Sha256;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Serves the topology that nodes and load balancers follow, read by one loop for all waiting
 * requests. A change by this instance is seen at once, one by another instance within half a
 * second. While the database cannot be read, followers that know a topology are sent to another
 * central manager after a while, and only new ones get what was read last. Thread-safe.
 */
public final class TopologyService implements Service {
  private static final Duration POLLING = Duration.ofMillis(500);
  private static final int ANSWERING = 2;
  private static final Duration OUTDATED_AFTER = Duration.ofSeconds(15);
  private static final Duration READ_WITHIN = Duration.ofSeconds(10);

  /** Between readings that requests for a fresh topology cause. */
  static final Duration FRESH_EVERY = Duration.ofMillis(50);

  private final WeightRows weights;
  private final QueueDefinitions definitions;
  private final QueueControls controls;
  private final QueueNodeRegistry nodes;
  private final Supplier<Set<String>> broken;
  private final NodeIdentities identities;
  private final Supplier<List<QueueDeletion>> deletions;
  private final Clock clock;
  private final DelayedCalls calls;
  private final Loop loop = new Loop("topology", POLLING, this::read);
  // Answers are written by these threads, so that a slow follower does not block the loop.
  private final ExecutorService answering =
      Executors.newFixedThreadPool(ANSWERING, Threads.daemons("topology-answers"));
  private final AtomicLong tickets = new AtomicLong();
  private final Map<Long, CompletableFuture<Optional<Topology>>> waiting =
      new ConcurrentHashMap<>();
  // Requests that the next reading answers. As many as there are requests.
  private final Map<Long, CompletableFuture<Topology>> unread = new ConcurrentHashMap<>();
  private volatile Topology current;
  // When the last reading that succeeded began, of the clock's nanoseconds.
  private volatile long readAt;
  private volatile boolean stopped;
  private final Object wakes = new Object();
  // Guarded by wakes: whether a reading for fresh requests is yet to be asked for, and when the
  // last one was, of the clock's nanoseconds.
  private boolean asking;
  private boolean askedBefore;
  private long askedAt;

  /** Runs an action once after a delay; must not block. */
  @FunctionalInterface
  interface DelayedCalls {
    void after(Duration delay, Runnable action);
  }

  /**
   * Stopped, with nothing read.
   *
   * @param broken names of the queues whose breaker is open; blocks
   * @param deletions of queues, in progress and of late; blocks
   */
  public TopologyService(
      WeightRows weights,
      QueueDefinitions definitions,
      QueueControls controls,
      QueueNodeRegistry nodes,
      Supplier<Set<String>> broken,
      NodeIdentities identities,
      Supplier<List<QueueDeletion>> deletions,
      Clock clock) {
    this(
        weights,
        definitions,
        controls,
        nodes,
        broken,
        identities,
        deletions,
        clock,
        (delay, action) ->
            CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS)
                .execute(action));
  }

  /** The same with delays of its own, for tests. */
  TopologyService(
      WeightRows weights,
      QueueDefinitions definitions,
      QueueControls controls,
      QueueNodeRegistry nodes,
      Supplier<Set<String>> broken,
      NodeIdentities identities,
      Supplier<List<QueueDeletion>> deletions,
      Clock clock,
      DelayedCalls calls) {
    this.deletions = deletions;
    this.clock = clock;
    this.calls = calls;
    this.broken = broken;
    this.identities = identities;
    this.weights = weights;
    this.definitions = definitions;
    this.controls = controls;
    this.nodes = nodes;
  }

  @Override
  public void start() {
    read();
    loop.start();
  }

  /** Answers all waiting requests, those that wait for a change with none; later ones fail. */
  @Override
  public void stop() {
    stopped = true;
    loop.stop();
    waiting.values().forEach(one -> one.complete(Optional.empty()));
    unread.values().forEach(one -> one.completeExceptionally(stopping()));
    answering.shutdown();
  }

  // Also after the stop, when no thread answers any more.
  private void answer(Runnable answer) {
    try {
      answering.execute(answer);
    } catch (RejectedExecutionException afterTheStop) {
      answer.run();
    }
  }

  /** Signals a possible change; a hint. */
  public void wake() {
    loop.wake();
  }

  /** Whether the topology lists this node at this address. */
  public boolean knows(QueueNodeReport node) {
    Topology now = current;
    return now != null && now.nodes().stream().anyMatch(known -> same(known, node));
  }

  private static boolean same(QueueNodeAddress known, QueueNodeReport node) {
    return known.id().equals(node.id())
        && known.name().equals(node.name())
        && known.address().equals(node.address())
        && Objects.equals(known.member(), node.member());
  }

  /**
   * The topology as soon as it differs from the known version; empty if it does not within the
   * wait. It fails with UNAVAILABLE if one is known and the database has not been read of late.
   * Never blocks.
   *
   * @param known empty for none
   */
  public CompletableFuture<Optional<Topology>> follow(String known, Duration wait) {
    CompletableFuture<Optional<Topology>> answer = new CompletableFuture<>();
    long ticket = tickets.incrementAndGet();
    waiting.put(ticket, answer);
    CompletableFuture<Optional<Topology>> changed =
        answer.whenCompleteAsync((topology, failure) -> waiting.remove(ticket), this::answer);
    // Checked after the request is waiting, so that a change in between is not missed.
    Topology now = current;
    if (now == null) {
      answer.completeExceptionally(
          new MillraceException(
              ErrorCode.UNAVAILABLE, "the topology has not been read yet; try again"));
    } else if (!now.version().equals(known)) {
      // One that was read long ago may be older than the known one.
      if (known.isEmpty() || !isOutdated()) {
        answer.complete(Optional.of(now));
      } else {
        answer.completeExceptionally(outdated(null));
      }
    }
    if (stopped) {
      // Not with no change: it would be asked again at once.
      answer.completeExceptionally(stopping());
    }
    answer.completeOnTimeout(Optional.empty(), wait.toNanos(), TimeUnit.NANOSECONDS);
    return changed.thenApply(
        topology -> {
          if (topology.isEmpty() && !known.isEmpty() && isOutdated()) {
            throw outdated(null);
          }
          return topology;
        });
  }

  /**
   * The topology as it is read from the database after this call, or empty if it has the known
   * version. Requests within {@link #FRESH_EVERY} share a reading. It fails with UNAVAILABLE if it
   * cannot be read in time. Never blocks.
   *
   * @param known empty for none
   */
  public CompletableFuture<Optional<Topology>> fresh(String known) {
    CompletableFuture<Topology> answer = new CompletableFuture<>();
    long ticket = tickets.incrementAndGet();
    unread.put(ticket, answer);
    if (stopped) {
      answer.completeExceptionally(stopping());
    } else {
      askToRead();
    }
    return answer
        .orTimeout(READ_WITHIN.toNanos(), TimeUnit.NANOSECONDS)
        .handleAsync(
            (topology, failure) -> {
              unread.remove(ticket);
              if (failure != null) {
                throw failure instanceof MillraceException worded ? worded : outdated(failure);
              }
              return Optional.of(topology).filter(one -> !one.version().equals(known));
            },
            this::answer);
  }

  // Each reading is of all tables, and one caller may ask again as soon as it is answered.
  private void askToRead() {
    Duration rest = Duration.ZERO;
    synchronized (wakes) {
      if (asking) {
        return;
      }
      asking = true;
      if (askedBefore) {
        rest = FRESH_EVERY.minusNanos(clock.nanoTime() - askedAt);
      }
    }
    if (rest.isZero() || rest.isNegative()) {
      readNow();
    } else {
      calls.after(rest, this::readNow);
    }
  }

  private void readNow() {
    synchronized (wakes) {
      asking = false;
      askedBefore = true;
      askedAt = clock.nanoTime();
    }
    loop.wake();
  }

  private static MillraceException stopping() {
    return new MillraceException(
        ErrorCode.UNAVAILABLE, "this central manager is stopping; another one may answer");
  }

  private boolean isOutdated() {
    return clock.nanoTime() - readAt > OUTDATED_AFTER.toNanos();
  }

  private static MillraceException outdated(Throwable cause) {
    return new MillraceException(
        ErrorCode.UNAVAILABLE,
        "this central manager cannot read the topology from its database now; another one may",
        cause);
  }

  private static String member(KnownQueueNode node) {
    return node.report() == null ? null : node.report().member();
  }

  private void read() {
    List<CompletableFuture<Topology>> asked = List.copyOf(unread.values());
    long begun = clock.nanoTime();
    Topology fresh =
        TopologyVersion.of(
            definitions.all(),
            weights.all(),
            // After a restoration the address in the backup may be that of another cluster's node.
            nodes.all().stream()
                .filter(node -> node.address() != null)
                .map(
                    node ->
                        new QueueNodeAddress(
                            node.id(), node.name(), node.address(), node.requested(), member(node)))
                .toList(),
            controls.all(),
            broken.get().stream().sorted().toList(),
            identities.withdrawn(),
            deletions.get());
    Topology before = current;
    if (before == null || !before.version().equals(fresh.version())) {
      current = fresh;
      waiting.values().forEach(one -> one.complete(Optional.of(fresh)));
    }
    readAt = begun;
    asked.forEach(one -> one.complete(fresh));
  }

  /**
   * Derives the version of a topology from its content, so that all central managers agree on it
   * without a shared counter. Pure.
   */
  private static final class TopologyVersion {
    private static final int LETTERS = 24;

    private TopologyVersion() {}

    static Topology of(
        List<VersionedQueue> queues,
        List<QueueWeights> weights,
        List<QueueNodeAddress> nodes,
        List<QueueControl> controls,
        List<String> broken,
        List<UUID> withdrawn,
        List<QueueDeletion> deletions) {
      StringBuilder content = new StringBuilder();
      queues.forEach(queue -> line(content, queue.definition().name(), queue.version()));
      // A server of an earlier version knows the row without its slots.
      weights.forEach(
          row -> line(content, row.queue(), row.version() + (row.slots() == null ? "" : " slots")));
      nodes.forEach(
          node ->
              line(
                  content,
                  node.id() + " " + node.name(),
                  node.address()
                      + " "
                      + node.status()
                      + " "
                      + node.member()
                      + (node.lost() ? " lost" : "")));
      controls.forEach(control -> line(content, control.queue(), control));
      broken.forEach(queue -> line(content, queue, "broken"));
      withdrawn.forEach(id -> line(content, id.toString(), "withdrawn"));
      deletions.forEach(deletion -> line(content, deletion.queue(), deletion));
      return new Topology(
          Sha256.of(content.toString()).substring(0, LETTERS),
          queues,
          weights,
          nodes,
          controls,
          broken,
          withdrawn,
          deletions);
    }

    private static void line(StringBuilder content, String name, Object value) {
      content.append(name).append(' ').append(value).append('\n');
    }
  }
}
