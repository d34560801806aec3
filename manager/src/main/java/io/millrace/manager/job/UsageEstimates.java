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
}
