package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A finished file kept to be written again: its space is allocated already, so that forces are
 * cheap, and a full disk does not stop the log at once. Thread-safe.
 */
final class Spares {
  static final String PREFIX = "spare-";

  private final Disk disk;
  private final AtomicReference<Path> spare = new AtomicReference<>();

  Spares(Disk disk) {
    this.disk = disk;
  }

  /** Keeps a file that nobody needs as the spare one, or deletes it. */
  void give(Path file) throws IOException {
    if (spare.get() != null) {
      disk.delete(file);
      return;
    }
    Path renamed = file.resolveSibling(PREFIX + file.getFileName());
    disk.rename(file, renamed);
    spare.set(renamed);
  }

  /** Takes over what an earlier process kept. */
  void found(Path file) throws IOException {
    if (!spare.compareAndSet(null, file)) {
      disk.delete(file);
    }
  }

  /** Takes the spare file; null when there is none. */
  Path take() {
    return spare.getAndSet(null);
  }
}
