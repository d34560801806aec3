package io.millrace.queuenode.segment;

import io.millrace.api.event.StoredEvent.StoreSummary;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.SegmentStore;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Copies of a node's store for backups, page by page: nothing is held for a backup between two
 * pages, so that one that is given up leaves nothing behind. Every method blocks until the store
 * has answered and throws a {@link io.millrace.api.MillraceException}. Thread-safe.
 */
public final class StoreCopies {
  private final String node;
  private final UUID id;
  private final SegmentStore store;
  private final GroupCommitter<SegmentStore> committer;

  public StoreCopies(
      String node, UUID id, SegmentStore store, GroupCommitter<SegmentStore> committer) {
    this.node = node;
    this.id = id;
    this.store = store;
    this.committer = committer;
  }

  /** What the store holds now. Every event that was acknowledged to its producer is in it. */
  public StoreSummary summary() {
    // On the writer's thread, so that it comes after everything that was answered.
    long lastSeq = SegmentResponses.of(committer.submit(Change.of(SegmentStore::lastSeq)));
    Map<String, Long> queues = new TreeMap<>();
    store
        .totals()
        .forEach((queue, totals) -> queues.put(queue, totals.unfinished() + totals.dead()));
    return new StoreSummary(node, id, store.term(), lastSeq, queues);
  }

  /** Events of one queue with numbers above the one and up to the other. */
  public StoredEvents page(String queue, long after, long upTo) {
    return SegmentResponses.of(
        committer.submit(Change.of(queue, opened -> opened.copy(queue, after, upTo))));
  }
}
