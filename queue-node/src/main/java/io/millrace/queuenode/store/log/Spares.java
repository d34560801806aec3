package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A finished file kept to be written again: its space is allocated already, so that forces are
 * cheap, and a full disk does not stop the log at once. Between {@link #keep} and {@link #release}
 * it is set aside, because the log's thread may still read it. Thread-safe.
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
   * Sets a file aside as the spare one, or deletes it when there is one.
   *
   * @return the file's new name, to be released once nobody reads it; null when it is deleted
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

  /** The file that was set aside may be written again from now on. */
  void release(Path file) {
    spare.set(file);
  }

  /** Takes over what an earlier process kept. */
  void found(Path file) throws IOException {
    if (held.compareAndSet(false, true)) {
      release(file);
    } else {
      disk.delete(file);
    }
  }

  /** Takes the spare file; null when there is none. */
  Path take() {
    Path file = spare.getAndSet(null);
    if (file != null) {
      held.set(false);
    }
    return file;
  }
}
