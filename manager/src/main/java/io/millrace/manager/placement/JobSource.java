package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.List;

/**
 * The jobs of one line that may start now, oldest first; read bit by bit, because a line may be far
 * longer than what can be placed. The same question is answered alike throughout one decision.
 */
@Pure
@FunctionalInterface
public interface JobSource {
  /** At most so many jobs that come after that one. */
  List<ReadyJob> after(ReadyJob last, int count);
}
