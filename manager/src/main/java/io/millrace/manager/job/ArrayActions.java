package io.millrace.manager.job;

import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Carries out actions on arrays as a whole. Implementations are thread-safe. */
@FunctionalInterface
public interface ArrayActions {
  /**
   * Does it in the caller's transaction.
   *
   * @param arrays the arrays' own jobs, locked
   * @return those of them that are to be treated like any other job as well
   */
  List<JobFacts> apply(
      Handle handle,
      ActionRequest request,
      List<JobFacts> arrays,
      ActionResult result,
      Instant now);
}
