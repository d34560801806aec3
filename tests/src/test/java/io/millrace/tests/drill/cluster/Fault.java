package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Something that goes wrong with a cluster for a while. One thread at a time. */
public interface Fault {
  /** What it is and whom it happens to, for the table. */
  FaultCell cell();

  /** Blocks until it has happened. */
  void begin(DrillCluster cluster);

  /** Mends it; blocks until it is mended. */
  void end(DrillCluster cluster);

  /** The processes or the link that it touches: two faults of one thing don't go together. */
  Set<String> touches();

  /** What it hits, in the words of {@link FaultTimeline}. */
  default Set<String> targets() {
    return touches();
  }

  /** It lasts at least so long. */
  Duration shortest();

  /** It lasts at most so long. */
  Duration longest();

  /** The processes whose work in progress makes it count; empty if it measures that itself. */
  Set<String> disturbs();

  /** What it hit, once it has ended; empty if that was no work or if it does not measure it. */
  default Optional<String> hit() {
    return Optional.empty();
  }
}
