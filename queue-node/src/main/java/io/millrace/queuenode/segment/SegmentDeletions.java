package io.millrace.queuenode.segment;

import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval.RemovalStep;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's part in the deletion of queues: it closes the queue to new events, removes its segment
 * once that is empty or its events may be dropped, and reports both. Thread-safe; {@link #carryOut}
 * blocks on the store.
 */
public final class SegmentDeletions {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentDeletions.class);

  /** Steps of removing sessions before other queues have their turn. */
  private static final int MOST_STEPS = 100;

  private final String node;
  private final GroupCommitter<SegmentStore> committer;
  private final Supplier<Set<String>> held;
  private final SessionSegments sessions;
  // Used only by the thread of carryOut.
  private final Set<String> failing = new HashSet<>();
  private volatile List<QueueDeletion> followed = List.of();
  private volatile List<SegmentClosure> closures = List.of();

  /**
   * No deletions.
   *
   * @param held names of the queues with segments; never blocks
   * @param sessions the segments of queues of sessions
   */
  SegmentDeletions(
      String node,
      GroupCommitter<SegmentStore> committer,
      Supplier<Set<String>> held,
      SessionSegments sessions) {
    this.sessions = sessions;
    this.node = node;
    this.committer = committer;
    this.held = held;
  }

  /** Carries out these deletions from now on; never blocks. */
  void follow(List<QueueDeletion> deletions) {
    followed = deletions;
  }

  /** What is done of the deletions that have not ended; never blocks. */
  public List<SegmentClosure> closures() {
    return closures;
  }

  /** Goes on with every deletion; called periodically by the node. */
  public void carryOut() {
    List<SegmentClosure> reached = new ArrayList<>();
    Set<String> segments = held.get();
    for (QueueDeletion deletion : followed) {
      // Of a deletion that is done only segments are left that were away.
      if (!deletion.done() || segments.contains(deletion.queue())) {
        carryOut(deletion, reached);
      }
    }
    closures = List.copyOf(reached);
  }

  /** A queue that cannot be removed does not keep the others from it. */
  private void carryOut(QueueDeletion deletion, List<SegmentClosure> reached) {
    String queue = deletion.queue();
    try {
      boolean removed = removed(deletion, held.get().contains(queue));
      if (!deletion.done()) {
        reached.add(new SegmentClosure(queue, deletion.version(), removed));
      }
      failing.remove(queue);
    } catch (MillraceException e) {
      if (failing.add(queue)) {
        LOGGER.warn("{} cannot remove its segment of {} and tries again", node, queue, e);
      }
    }
  }

  private boolean removedSessions(QueueDeletion deletion) {
    String queue = deletion.queue();
    int left = sessions.queues().contains(queue) ? MOST_STEPS : 0;
    while (left > 0 && followed.contains(deletion)) {
      left = sessions.remove(queue, deletion.version(), deletion.discards()) ? left - 1 : 0;
    }
    return !sessions.queues().contains(queue);
  }

  private boolean removed(QueueDeletion deletion, boolean present) {
    String queue = deletion.queue();
    SegmentRemoval removal = new SegmentRemoval(queue, deletion.version(), deletion.discards());
    long dropped = 0;
    RemovalStep step = new RemovalStep(0, true, false);
    // Many events take long: meanwhile the central managers may not know of the deletion any more.
    while (step.more() && followed.contains(deletion)) {
      step = SegmentResponses.of(committer.submit(Change.of(queue, s -> s.remove(removal))));
      dropped += step.events();
    }
    boolean gone = step.gone() && removedSessions(deletion);
    if (present && gone && !held.get().contains(queue)) {
      LOGGER.info(
          "{} has removed its segment of {}, which was deleted; {} events were dropped",
          node,
          queue,
          dropped);
    }
    return gone;
  }
}
