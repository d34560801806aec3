package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A fault of a cluster for a limited time. Used by one thread at a time. */
public interface Fault {
  /** Its kind and role, for the table. */
  FaultCell cell();

  /** Injects it; blocks until it has taken effect. */
  void begin(DrillCluster cluster);

  /** Removes it; blocks until it is removed. */
  void end(DrillCluster cluster);

  /** The processes or the link that it affects: two faults of the same target must not overlap. */
  Set<String> touches();

  /** Its targets, named as in {@link FaultTimeline}. */
  default Set<String> targets() {
    return touches();
  }

  /** Its minimum duration. */
  Duration shortest();

  /** Its maximum duration. */
  Duration longest();

  /** The processes whose work in progress makes it count; empty if it measures this itself. */
  Set<String> disturbs();

  /**
   * The work that it hit, once it has ended; empty if there was none or if it does not measure it.
   */
  default Optional<String> hit() {
    return Optional.empty();
  }
}
