package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One line while its jobs are given out. Not thread-safe; lives for one plan. */
@Pure
final class PendingQueue {
  // Those that are passed over because they may not run where there is room.
  private static final int MOST_PASSED_OVER = 200;
  private static final int FIRST_READ = 8;
  private static final int MOST_READ = 256;

  /** What jobs of one line differ by. */
  private record Manner(String near, String definition) {}

  private final ShapeQueue line;
  private final ShapeCandidate contender;
  private final boolean roomAtFirst;
  private final Deque<ReadyJob> read = new ArrayDeque<>();
  private final Set<Manner> stuck = new HashSet<>();
  private ReadyJob last;
  private ReadyJob firstStuck;
  private boolean allRead;
  private int nextRead = FIRST_READ;
  private int passedOver;

  PendingQueue(ShapeQueue line, ShapeCandidate contender) {
    this.line = line;
    this.contender = contender;
    this.roomAtFirst = contender.best(line.head()).isPresent();
    this.last = line.head();
    read.add(line.head());
  }

  long shapeId() {
    return line.shapeId();
  }

  Shape shape() {
    return line.shape();
  }

  ShapeCandidate contender() {
    return contender;
  }

  /** Whether its head could have started before others took the room. */
  boolean roomAtFirst() {
    return roomAtFirst;
  }

  /** The next job; null when there is none. */
  ReadyJob head() {
    if (read.isEmpty() && !allRead) {
      List<ReadyJob> more = line.rest().after(last, nextRead);
      allRead = more.size() < nextRead;
      nextRead = Math.min(MOST_READ, nextRead * 2);
      read.addAll(more);
      last = more.isEmpty() ? last : more.get(more.size() - 1);
    }
    return read.peek();
  }

  /** The oldest that goes on waiting. */
  ReadyJob oldestLeft() {
    return firstStuck == null ? head() : firstStuck;
  }

  /** The head was placed. */
  void placed() {
    read.remove();
  }

  /**
   * The head can't be placed.
   *
   * @return whether one that may run elsewhere comes after it
   */
  boolean passOver() {
    firstStuck = firstStuck == null ? head() : firstStuck;
    if (contender.alike()) {
      return false;
    }
    stuck.add(manner(head()));
    while (head() != null && stuck.contains(manner(head()))) {
      read.remove();
      passedOver++;
      if (passedOver == MOST_PASSED_OVER) {
        return false;
      }
    }
    return head() != null;
  }

  private static Manner manner(ReadyJob job) {
    return new Manner(job.near(), job.definition());
  }
}
