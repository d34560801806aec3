package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The waiting jobs of one shape while they are placed. Not thread-safe; used for one plan. */
@Pure
final class PendingQueue {
  // Jobs that are skipped because they may not run on the nodes with free capacity.
  private static final int MAX_PASSED_OVER = 200;
  private static final int FIRST_READ = 8;
  private static final int MAX_READ = 256;

  /** The properties in which jobs of one shape differ. */
  private record Variant(String near, String definition) {}

  private final ShapeQueue queue;
  private final ShapeCandidate candidate;
  private final boolean fittedAtFirst;
  private final Deque<ReadyJob> read = new ArrayDeque<>();
  private final Set<Variant> stuck = new HashSet<>();
  private ReadyJob last;
  private ReadyJob firstStuck;
  private boolean allRead;
  private int nextRead = FIRST_READ;
  private int passedOver;

  PendingQueue(ShapeQueue queue, ShapeCandidate candidate) {
    this.queue = queue;
    this.candidate = candidate;
    this.fittedAtFirst = candidate.best(queue.head()).isPresent();
    this.last = queue.head();
    read.add(queue.head());
  }

  long shapeId() {
    return queue.shapeId();
  }

  Shape shape() {
    return queue.shape();
  }

  ShapeCandidate candidate() {
    return candidate;
  }

  /** Whether its head could have started before others took the capacity. */
  boolean fittedAtFirst() {
    return fittedAtFirst;
  }

  /** The next job; null when there is none. */
  ReadyJob head() {
    if (read.isEmpty() && !allRead) {
      List<ReadyJob> more = queue.rest().after(last, nextRead);
      allRead = more.size() < nextRead;
      nextRead = Math.min(MAX_READ, nextRead * 2);
      read.addAll(more);
      last = more.isEmpty() ? last : more.get(more.size() - 1);
    }
    return read.peek();
  }

  /** The oldest job that continues to wait. */
  ReadyJob oldestLeft() {
    return firstStuck == null ? head() : firstStuck;
  }

  /** Removes the head, which was placed. */
  void placed() {
    read.remove();
  }

  /**
   * Skips the head, which cannot be placed.
   *
   * @return whether a job that may run elsewhere comes after it
   */
  boolean passOver() {
    firstStuck = firstStuck == null ? head() : firstStuck;
    if (candidate.uniform()) {
      return false;
    }
    stuck.add(variant(head()));
    while (head() != null && stuck.contains(variant(head()))) {
      read.remove();
      passedOver++;
      if (passedOver == MAX_PASSED_OVER) {
        return false;
      }
    }
    return head() != null;
  }

  private static Variant variant(ReadyJob job) {
    return new Variant(job.near(), job.definition());
  }
}
