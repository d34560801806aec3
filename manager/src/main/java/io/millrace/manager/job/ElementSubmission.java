package io.millrace.manager.job;

import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Records elements as jobs in the caller's transaction, as any other submission would. */
@FunctionalInterface
public interface ElementSubmission {
  /** The ids come in the order of the elements. */
  List<Long> submit(Handle handle, String owner, List<NewJob> elements, Instant now);
}
