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
 * Wakes up loops and long polls of this central manager when something has changed. The database
 * remains the truth: a wake-up that is lost is made up for by the next periodic poll. Thread-safe;
 * never blocks.
 */
public final class WakeUps {
  private static final String READY = "ready";
  private static final String NODE = "node:";
  private static final String JOB = "job:";
  private static final String WORKFLOW = "workflow:";

  private final CopyOnWriteArrayList<Runnable> onReady = new CopyOnWriteArrayList<>();
  private final CopyOnWriteArrayList<Runnable> onWorkflow = new CopyOnWriteArrayList<>();
  private final Map<Object, Set<Waiting>> waiting = new ConcurrentHashMap<>();
  private volatile Consumer<String> relay = wakeUp -> {};

  /** Calls back whenever jobs became ready or slots became free. */
  public void whenReady(Runnable listener) {
    onReady.add(listener);
  }

  /** Calls back whenever a workflow has changed, or steps of it have ended. */
  public void whenWorkflowChanged(Runnable listener) {
    onWorkflow.add(listener);
  }

  /** A future that completes when the workflow has changed. */
  public CompletableFuture<Void> workflow(long workflow) {
    return register(new WorkflowKey(workflow));
  }

  /** Signals that the workflow has changed, once the transaction is committed. */
  public void workflowChanged(Handle handle, long workflow) {
    handle.afterCommit(
        () -> {
          workflowChanged(workflow);
          relay.accept(WORKFLOW + workflow);
        });
  }

  private void workflowChanged(long workflow) {
    complete(new WorkflowKey(workflow));
    onWorkflow.forEach(Runnable::run);
  }

  private record WorkflowKey(long id) {}

  /** A future that completes when there is something new for the node. */
  public CompletableFuture<Void> node(UUID node) {
    return register(node);
  }

  /** A future that completes when the job has changed. */
  CompletableFuture<Void> job(long job) {
    return register(job);
  }

  /** Signals that jobs became ready or slots became free, once the transaction is committed. */
  public void ready(Handle handle) {
    handle.afterCommit(
        () -> {
          onReady.forEach(Runnable::run);
          relay.accept(READY);
        });
  }

  /** Signals that there is something new for the node, once the transaction is committed. */
  public void nodeChanged(Handle handle, UUID node) {
    handle.afterCommit(
        () -> {
          complete(node);
          relay.accept(NODE + node);
        });
  }

  /** Signals that the job has changed, once the transaction is committed. */
  public void jobChanged(Handle handle, long job) {
    handle.afterCommit(
        () -> {
          complete(job);
          relay.accept(JOB + job);
        });
  }

  /** Relays every wake-up of this central manager, in a form that {@link #receive} understands. */
  public void relayTo(Consumer<String> others) {
    relay = others;
  }

  /** Takes a wake-up of another central manager; an unknown one is ignored. */
  public void receive(String wakeUp) {
    if (wakeUp.equals(READY)) {
      onReady.forEach(Runnable::run);
    } else if (wakeUp.startsWith(NODE)) {
      complete(UUID.fromString(wakeUp.substring(NODE.length())));
    } else if (wakeUp.startsWith(WORKFLOW)) {
      workflowChanged(Long.parseLong(wakeUp.substring(WORKFLOW.length())));
    } else if (wakeUp.startsWith(JOB)) {
      complete(Long.valueOf(wakeUp.substring(JOB.length())));
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
    // However the future ends (completed, timed out or cancelled), nothing is left behind.
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

  private void complete(Object key) {
    Set<Waiting> all = waiting.remove(key);
    if (all != null) {
      all.forEach(one -> one.future.complete(null));
    }
  }

  /** A waiting caller; each is only equal to itself. */
  private static final class Waiting {
    private final CompletableFuture<Void> future = new CompletableFuture<>();
  }
}
