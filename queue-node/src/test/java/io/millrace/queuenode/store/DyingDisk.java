package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A real disk that can fail after a number of changes, as if the process had been killed during the
 * next one, be full, or fail to force.
 */
final class DyingDisk implements Disk {
  private static final long NEVER = Long.MAX_VALUE;

  private final Disk disk = new ChannelDisk();
  private final AtomicLong left = new AtomicLong(NEVER);
  private volatile long maxBytes = Long.MAX_VALUE;
  private volatile boolean unforceable;

  /** From now on only that many changes succeed. */
  void dieAfter(long changes) {
    left.set(changes);
  }

  boolean isDead() {
    return left.get() <= 0;
  }

  /** No file grows beyond that many bytes; {@link Long#MAX_VALUE} removes the limit. */
  void fillUpAt(long bytes) {
    maxBytes = bytes;
  }

  void failForces() {
    unforceable = true;
  }

  /** True when this change is the one in which the process is killed. */
  private boolean diesNow() throws IOException {
    long before = left.getAndUpdate(changes -> changes == NEVER ? NEVER : changes - 1);
    if (before < 0) {
      throw new IOException("the process is dead");
    }
    return before == 0;
  }

  private void change() throws IOException {
    if (diesNow()) {
      throw new IOException("killed");
    }
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new DyingFile(disk.open(file));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    change();
    return new DyingFile(disk.create(file));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    change();
    disk.rename(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    change();
    disk.delete(file);
  }

  @Override
  public List<String> names(Path folder) throws IOException {
    return disk.names(folder);
  }

  @Override
  public void forceFolder(Path folder) throws IOException {
    change();
    disk.forceFolder(folder);
  }

  private final class DyingFile implements DiskFile {
    private final DiskFile file;

    DyingFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public void read(ByteBuffer into, long offset) throws IOException {
      file.read(into, offset);
    }

    /** The last write of a killed process is cut short; that to a full disk too. */
    @Override
    public void write(ByteBuffer from, long offset) throws IOException {
      if (diesNow()) {
        file.write(cut(from, from.remaining() / 2), offset);
        throw new IOException("killed");
      }
      long end = offset + from.remaining();
      if (end > maxBytes && end > file.length()) {
        file.write(cut(from, Math.max(0, Math.min(from.remaining(), maxBytes - offset))), offset);
        throw new IOException("No space left on device");
      }
      file.write(from, offset);
    }

    private ByteBuffer cut(ByteBuffer from, long bytes) {
      return from.slice(from.position(), (int) bytes);
    }

    @Override
    public void force() throws IOException {
      change();
      if (unforceable) {
        throw new IOException("Input/output error");
      }
      // Nothing here cuts the power, and thousands of forces would be slow.
    }

    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
