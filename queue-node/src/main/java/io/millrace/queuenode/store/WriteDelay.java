package io.millrace.queuenode.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How much slower than it is a writer is made. Immutable.
 *
 * @param length added to each group; zero for an honest node
 * @param whileExists the file that must be there for it to hold, so that a drill can begin and end
 *     it while the node runs; empty for always
 */
public record WriteDelay(Duration length, Optional<Path> whileExists) {
  /** The writer as it is. */
  public static final WriteDelay NONE = always(Duration.ZERO);

  /** A writer that is slower for as long as it runs. */
  public static WriteDelay always(Duration length) {
    return new WriteDelay(length, Optional.empty());
  }

  /** What the next group takes longer; may look for the file. */
  Duration now() {
    boolean holds = !length.isZero() && whileExists.map(Files::exists).orElse(true);
    return holds ? length : Duration.ZERO;
  }
}
