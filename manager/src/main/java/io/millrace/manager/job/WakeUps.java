package io.millrace.manager.job;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * Hints within this central manager that something is worth a look: never the truth, which is SQL,
 * so a hint that is lost only costs the next look by the clock. Thread-safe; never blocks.
 */
public final class WakeUps {
  private static final String READY = "ready";
  private static final String NODE = "node:";
  private static final String JOB = "job:";

  private final CopyOnWriteArrayList<Runnable> onReady = new CopyOnWriteArrayList<>();
  private final Map<Object, Set<Waiting>> waiting = new ConcurrentHashMap<>();
  private volatile Consumer<String> relay = word -> {};

  /** Calls back whenever jobs became ready or slots became free. */
  public void whenReady(Runnable listener) {
    onReady.add(listener);
  }

  /** A future that completes when the node has something to hear. */
  public CompletableFuture<Void> node(UUID node) {
    return register(node);
  }

  /** A future that completes when the job has changed. */
  CompletableFuture<Void> job(long job) {
    return register(job);
  }

  /** Jobs became ready or slots became free, once the transaction is committed. */
  public void ready(Handle handle) {
    handle.afterCommit(
        () -> {
          onReady.forEach(Runnable::run);
          relay.accept(READY);
        });
  }

  /** The node has something to hear, once the transaction is committed. */
  public void nodeChanged(Handle handle, UUID node) {
    handle.afterCommit(
        () -> {
          ring(node);
          relay.accept(NODE + node);
        });
  }

  /** The job has changed, once the transaction is committed. */
  public void jobChanged(Handle handle, long job) {
    handle.afterCommit(
        () -> {
          ring(job);
          relay.accept(JOB + job);
        });
  }

  /** Passes every hint of this central manager on, in words that {@link #heard} understands. */
  public void relayTo(Consumer<String> others) {
    relay = others;
  }

  /** Takes a hint of another central manager; what it doesn't understand is left alone. */
  public void heard(String word) {
    if (word.equals(READY)) {
      onReady.forEach(Runnable::run);
    } else if (word.startsWith(NODE)) {
      ring(UUID.fromString(word.substring(NODE.length())));
    } else if (word.startsWith(JOB)) {
      ring(Long.valueOf(word.substring(JOB.length())));
    }
  }

  private CompletableFuture<Void> register(Object key) {
    Waiting one = new Waiting();
    waiting.compute(
        key,
        (same, old) -> {
          Set<Waiting> all = old == null ? ConcurrentHashMap.newKeySet() : old;
          all.add(one);
          return all;
        });
    // However it ends, by a ring, a time limit or a cancellation, nothing is left behind.
    var unused = one.future.whenComplete((nothing, failure) -> forget(key, one));
    return one.future;
  }

  private void forget(Object key, Waiting one) {
    waiting.computeIfPresent(
        key,
        (same, all) -> {
          all.remove(one);
          return all.isEmpty() ? null : all;
        });
  }

  private void ring(Object key) {
    Set<Waiting> all = waiting.remove(key);
    if (all != null) {
      all.forEach(one -> one.future.complete(null));
    }
  }

  /** Somebody who waits; each is only equal to itself. */
  private static final class Waiting {
    private final CompletableFuture<Void> future = new CompletableFuture<>();
  }
}
