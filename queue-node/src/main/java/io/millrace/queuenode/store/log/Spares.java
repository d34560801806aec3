package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A finished file kept for reuse: its space is already allocated, so that forces are cheap and a
 * full disk does not stop the log immediately. Between {@link #keep} and {@link #release} it must
 * not be reused, because the log's thread may still read it. Thread-safe.
 */
final class Spares {
  static final String PREFIX = "spare-";

  private final Disk disk;
  private final AtomicReference<Path> spare = new AtomicReference<>();
  private final AtomicBoolean held = new AtomicBoolean();

  Spares(Disk disk) {
    this.disk = disk;
  }

  /**
   * Keeps a file as the spare one, or deletes it if there already is one.
   *
   * @return the file's new name, to be released once nothing reads it; null if it was deleted
   */
  Path keep(Path file) throws IOException {
    if (!held.compareAndSet(false, true)) {
      disk.delete(file);
      return null;
    }
    Path renamed = file.resolveSibling(PREFIX + file.getFileName());
    try {
      disk.rename(file, renamed);
    } catch (IOException e) {
      held.set(false);
      throw e;
    }
    return renamed;
  }

  /** Allows the kept file to be reused. */
  void release(Path file) {
    spare.set(file);
  }

  /** Takes over a file that an earlier process kept. */
  void found(Path file) throws IOException {
    if (held.compareAndSet(false, true)) {
      release(file);
    } else {
      disk.delete(file);
    }
  }

  /** Takes the spare file; null if there is none. */
  Path take() {
    Path file = spare.getAndSet(null);
    if (file != null) {
      held.set(false);
    }
    return file;
  }
}
