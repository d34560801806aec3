package io.millrace.manager.workflow;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/**
 * Wakes up those who wait for a change of a workflow on this central manager; the periodic reading
 * of long polls makes up for changes that others made. Thread-safe.
 */
public final class WorkflowWakeUps {
  private final Map<Long, Set<CompletableFuture<Void>>> waiting = new ConcurrentHashMap<>();

  /** A future that completes when the workflow has changed. */
  CompletableFuture<Void> change(long workflow) {
    CompletableFuture<Void> future = new CompletableFuture<>();
    waiting.computeIfAbsent(workflow, one -> ConcurrentHashMap.newKeySet()).add(future);
    var unused =
        future.whenComplete(
            (nothing, failure) ->
                waiting.computeIfPresent(
                    workflow,
                    (same, all) -> {
                      all.remove(future);
                      return all.isEmpty() ? null : all;
                    }));
    return future;
  }

  /** Signals a change, once the transaction is committed. */
  void changed(Handle handle, long workflow) {
    handle.afterCommit(
        () -> {
          Set<CompletableFuture<Void>> all = waiting.remove(workflow);
          if (all != null) {
            all.forEach(future -> future.complete(null));
          }
        });
  }
}
