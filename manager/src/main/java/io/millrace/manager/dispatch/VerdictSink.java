package io.millrace.manager.dispatch;

import io.millrace.manager.placement.PlacementPlan.ShapeVerdict;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Hears why the shapes of a pool wait, after each look at them. Thread-safe. */
@FunctionalInterface
public interface VerdictSink {
  /** Nobody wants to know. */
  VerdictSink NONE = (handle, pool, verdicts, now) -> {};

  /** Takes what a look at the pool said, in its transaction. */
  void hear(Handle handle, String pool, List<ShapeVerdict> verdicts, Instant now);
}
