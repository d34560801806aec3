package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.ByteBudget;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of a store: requests that arrive while a group is being written form the next
 * group, which shares one transaction and one force to disk. A single request therefore does not
 * wait, and many share the cost.
 *
 * <p>When a group fails, it is rolled back and each request runs in its own transaction, so that a
 * bad request does not affect others. If the disk cannot be forced, its content is unknown: the
 * committer rejects everything until the node is restarted. Thread-safe.
 *
 * @param <S> the kind of store
 */
public final class GroupCommitter<S extends TransactionalStore> implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(GroupCommitter.class);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(30);

  /** The longest time for which a commit is left to the operating system. */
  private static final Duration FORCED_EVERY = Duration.ofSeconds(1);

  /** Is told of the writer's work, on its thread; must not block. */
  public interface CommitWatch {
    /** Ignores everything. */
    CommitWatch NONE = new CommitWatch() {};

    /**
     * A group was written and its requests were answered.
     *
     * @param requests how many
     * @param nanos from its first request to the last answer, with the force if there was one
     */
    default void committed(int requests, long nanos) {}

    /** A group failed; its requests are repeated separately. */
    default void failed() {}

    /** The store was forced to disk. */
    default void forced(long nanos) {}
  }

  private final S store;
  private final CommitWatch watch;
  private final Clock clock;
  private final CommitSettings settings;
  // A producer that is faster than the disk is slowed down and not buffered.
  private final ByteBudget space;
  private final BlockingQueue<Pending<S, ?>> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong busyNanos = new AtomicLong();
  private final StoreTime storeTime = new StoreTime();
  private final Waiter writeDelayWaiter = new Waiter();
  private final Thread thread;
  private final Pending<S, ?> end = new Pending<>(Change.<S, S>of(none -> none));
  private volatile String broken;
  // Guarded by this.
  private boolean closed;
  // Only touched by the committer's thread.
  private boolean unforced;
  private long forcedAt;

  /**
   * A committer that has not started. It does not close the store.
   *
   * @param owner the node's name, for the thread's name
   */
  public GroupCommitter(String owner, S store, Clock clock, CommitSettings settings) {
    this(owner, store, clock, settings, CommitWatch.NONE);
  }

  /** As above, with somebody to tell. */
  public GroupCommitter(
      String owner, S store, Clock clock, CommitSettings settings, CommitWatch watch) {
    this.store = store;
    this.watch = watch;
    this.clock = clock;
    this.settings = settings;
    this.space = new ByteBudget(settings.maxPendingBytes(), settings.putTimeout());
    this.thread = Threads.daemon(owner + "-committer", this::commitGroups);
  }

  @Override
  public void start() {
    thread.start();
  }

  /** Answers earlier requests, then ends. */
  @Override
  public void stop() {
    if (closedFirst()) {
      waiting.add(end);
    }
    try {
      thread.join(STOP_WITHIN.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOGGER.warn("{} has not ended {} after it was stopped", thread.getName(), STOP_WITHIN);
    }
  }

  /**
   * Submits a change to the writer. Blocks while there is no space for its bytes. The future is
   * completed with the change's result, its refusal, or STORE_FAILURE on the writer's thread, so
   * its dependents must be short.
   *
   * @throws MillraceException UNAVAILABLE if the node is stopping, the store is too far behind, or
   *     the caller is interrupted; its interrupt is kept
   */
  public <R> CompletableFuture<R> submit(Change<S, R> change) {
    requireUsable();
    Pending<S, R> pending = new Pending<>(change);
    reserve(change.bytes());
    if (!admitted(pending)) {
      release(change.bytes());
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this queue node is stopping; try another");
    }
    return pending.answer();
  }

  private void reserve(long bytes) {
    try {
      // Requests without bytes must not wait behind those that need space.
      if (bytes <= 0 || space.reserve(bytes)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "interrupted while waiting for space for "
              + bytes
              + " more bytes in the store of this node; send again later, or to another node",
          e);
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        "the store of this node is too slow: no space for "
            + bytes
            + " more bytes within "
            + settings.putTimeout().toSeconds()
            + " s; send again later, or to another node");
  }

  private void release(long bytes) {
    if (bytes > 0) {
      space.release(bytes);
    }
  }

  /** False once the committer is stopping: nothing is written after the end. */
  private synchronized boolean admitted(Pending<S, ?> pending) {
    return !closed && waiting.add(pending);
  }

  /** True for the first call. */
  private synchronized boolean closedFirst() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  /** The longest wait of a caller if the store is behind. */
  public Duration putTimeout() {
    return settings.putTimeout();
  }

  /** Nanoseconds that the writer has worked since it was started; never blocks. */
  public long busyNanos() {
    return busyNanos.get();
  }

  /**
   * Nanoseconds of the writer's work since it was started, by the queue for which they were spent;
   * never blocks.
   */
  public Map<String, Long> storeNanosByQueue() {
    return storeTime.nanosByQueue();
  }

  /** Whether the store still accepts changes. */
  public boolean healthy() {
    return broken == null;
  }

  private void requireUsable() {
    String reason = broken;
    if (reason != null) {
      throw new MillraceException(ErrorCode.STORE_FAILURE, reason);
    }
  }

  private void commitGroups() {
    forcedAt = clock.nanoTime();
    try {
      boolean last = false;
      while (!last) {
        Pending<S, ?> first = waiting.poll(FORCED_EVERY.toNanos(), TimeUnit.NANOSECONDS);
        long begun = clock.nanoTime();
        if (first != null) {
          List<Pending<S, ?>> group = new ArrayList<>();
          group.add(first);
          waiting.drainTo(group, settings.groupSize() - 1);
          last = group.remove(end);
          carryOut(group);
        }
        forceIfDue();
        busyNanos.addAndGet(clock.nanoTime() - begun);
      }
    } catch (InterruptedException e) {
      // This thread is interrupted only at the end of the JVM.
      Thread.currentThread().interrupt();
    }
  }

  private void carryOut(List<Pending<S, ?>> group) {
    try {
      commitTogether(group);
    } finally {
      group.forEach(pending -> release(pending.change().bytes()));
    }
  }

  private void commitTogether(List<Pending<S, ?>> group) {
    if (broken != null) {
      group.forEach(pending -> pending.fail(broken, new IllegalStateException("refused")));
      return;
    }
    long begun = clock.nanoTime();
    long ran = 0;
    try {
      for (Pending<S, ?> pending : group) {
        ran += run(pending);
      }
      store.commit();
    } catch (RuntimeException | Error e) {
      watch.failed();
      LOGGER.warn("a group of {} requests failed; retrying each separately", group.size(), e);
      group.removeIf(pending -> !commitAlone(pending));
    }
    slowDown();
    long committed = clock.nanoTime();
    complete(group);
    long ended = clock.nanoTime();
    storeTime.ended(Math.max(0, committed - begun - ran), ended - committed);
    watch.committed(group.size(), ended - begun);
  }

  private long run(Pending<S, ?> pending) {
    long begun = clock.nanoTime();
    pending.run(store);
    long took = clock.nanoTime() - begun;
    storeTime.ran(pending.change(), took);
    return took;
  }

  private void slowDown() {
    Duration delay = settings.writeDelay().now();
    if (delay.isZero()) {
      return;
    }
    try {
      writeDelayWaiter.await(delay);
    } catch (InterruptedException e) {
      // This thread is interrupted only at the end of the JVM.
      Thread.currentThread().interrupt();
    }
  }

  private boolean commitAlone(Pending<S, ?> pending) {
    try {
      store.rollback();
      pending.run(store);
      store.commit();
      return true;
    } catch (RuntimeException | Error e) {
      LOGGER.error("a request to the store failed", e);
      pending.fail("the store failed and nothing was changed", e);
      undo();
      return false;
    }
  }

  private void undo() {
    try {
      store.rollback();
    } catch (RuntimeException e) {
      refuseFurtherChanges("the store cannot undo a failed transaction; restart this node", e);
    }
  }

  private void complete(List<Pending<S, ?>> group) {
    unforced = true;
    boolean force = false;
    for (Pending<S, ?> pending : group) {
      if (pending.change().forced() && settings.durability() == CommitSettings.Durability.DISK) {
        force = true;
      } else {
        pending.complete();
      }
    }
    if (force) {
      forceAndComplete(group);
    }
  }

  private void forceAndComplete(List<Pending<S, ?>> group) {
    // Those that need no disk are completed already; completing twice has no effect.
    if (force()) {
      group.forEach(Pending::complete);
    } else {
      group.forEach(
          pending ->
              pending.fail(
                  "whether the events are stored is unknown", new IllegalStateException(broken)));
    }
  }

  private void forceIfDue() {
    if (unforced && broken == null && clock.nanoTime() - forcedAt >= FORCED_EVERY.toNanos()) {
      force();
    }
  }

  private boolean force() {
    long begun = clock.nanoTime();
    try {
      store.force();
      unforced = false;
      forcedAt = clock.nanoTime();
      watch.forced(forcedAt - begun);
      return true;
    } catch (RuntimeException e) {
      refuseFurtherChanges(
          "the store could not be forced to disk; check the disk and restart this node", e);
      return false;
    }
  }

  private void refuseFurtherChanges(String message, RuntimeException cause) {
    LOGGER.error(message, cause);
    broken = message;
  }
}
