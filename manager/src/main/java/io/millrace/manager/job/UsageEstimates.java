package io.millrace.manager.job;

import java.util.Collection;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Tells what jobs are likely to need (H-245). Implementations are thread-safe. */
@FunctionalInterface
public interface UsageEstimates {
  /** Knows nothing. */
  UsageEstimates NONE = (handle, definitions) -> Map.of();

  /** The estimates of these definitions, as far as known. */
  Map<String, Estimate> of(Handle handle, Collection<String> definitions);

  /**
   * What a job is likely to need; booked on its node, never enforced.
   *
   * @param cpuMillis thousandths of processors; 0 for unknown
   * @param memoryBytes memory; 0 for unknown
   */
  record Estimate(int cpuMillis, long memoryBytes) {}
}
