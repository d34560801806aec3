package io.millrace.queuenode.session;

import io.millrace.queuenode.segment.SegmentResponses;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.Effects;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.GroupCommitter;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Changes of the sessions' store within the node's lease, which is looked at before a change and
 * again when it is on disk: a force may take long, and what is answered after the lease may
 * contradict the next owner of a slot. Thread-safe.
 */
final class SessionCommits {
  private final GroupCommitter<SessionStore> committer;
  private final NodeLease lease;
  private final WorkerSignals signals;
  private volatile Runnable more = () -> {};
  private volatile BiConsumer<String, UUID> retired = (queue, worker) -> {};

  SessionCommits(GroupCommitter<SessionStore> committer, NodeLease lease, WorkerSignals signals) {
    this.committer = committer;
    this.lease = lease;
    this.signals = signals;
  }

  /** Who is told that there is more to do at once; must not block. */
  void onMore(Runnable listener) {
    more = listener;
  }

  /** Who is told of workers of a queue that are registered no more; must not block. */
  void onRetired(BiConsumer<String, UUID> listener) {
    retired = listener;
  }

  /**
   * Carries out a change and its effects.
   *
   * @param change throws refusals only before it has changed anything
   * @param effects what is to be done after the commit
   * @throws io.millrace.api.MillraceException also UNAVAILABLE outside the lease
   */
  <R> R within(Change<SessionStore, R> change, Function<R, Effects> effects) {
    R result = SegmentResponses.of(withinLater(change, effects));
    lease.requireStill();
    return result;
  }

  /** The same without a second look at the lease, which is the caller's before it answers. */
  <R> CompletableFuture<R> withinLater(
      Change<SessionStore, R> change, Function<R, Effects> effects) {
    lease.require();
    return committer
        .submit(
            new Change<SessionStore, R>(
                change.queue(),
                change.bytes(),
                change.forced(),
                store -> {
                  // It may have waited behind a force for long: another node may serve by now.
                  lease.require();
                  return change.action().apply(store);
                }))
        .whenComplete(
            (result, refusal) -> {
              if (refusal == null) {
                carryOut(effects.apply(result));
              }
            });
  }

  /** Carries out what changes nothing that another owner of a slot could contradict. */
  <R> R always(Change<SessionStore, R> change) {
    return SegmentResponses.of(committer.submit(change));
  }

  void requireLease() {
    lease.requireStill();
  }

  boolean inLease() {
    return lease.held();
  }

  void carryOut(Effects effects) {
    effects.wake().forEach((queue, workers) -> workers.forEach(one -> signals.ring(queue, one)));
    effects.retired().forEach((queue, ids) -> ids.forEach(one -> retired.accept(queue, one)));
    if (effects.more()) {
      more.run();
    }
  }
}
