package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.Disk.DiskFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A disk whose power can fail: of what was written since a file was last forced each sector and the
 * file's new length survive or not at random. Names survive immediately, as with a journal.
 */
final class PowerCutDisk implements Disk {
  private static final int SECTOR = 512;

  /** What a file held when it was last forced, where that has been overwritten. */
  private static final class Forced {
    private Path path;
    private long length;
    private final Map<Long, byte[]> sectors = new TreeMap<>();
  }

  private final Disk disk = new ChannelDisk();
  // Guarded by this, as is all that it holds: the log's keeper writes too.
  private final Map<Path, Forced> files = new HashMap<>();
  private boolean off;

  private synchronized void requirePower() throws IOException {
    if (off) {
      throw new IOException("no power");
    }
  }

  /** Cuts the power; nothing can be changed from now on. */
  synchronized void cut(Random random) throws IOException {
    off = true;
    for (Forced forced : files.values()) {
      if (Files.exists(forced.path)) {
        lose(forced, random);
      }
    }
  }

  private static void lose(Forced forced, Random random) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(forced.path.toFile(), "rw")) {
      for (Map.Entry<Long, byte[]> sector : forced.sectors.entrySet()) {
        if (random.nextBoolean()) {
          file.seek(sector.getKey() * SECTOR);
          file.write(sector.getValue());
        }
      }
      if (file.length() > forced.length && random.nextBoolean()) {
        file.setLength(forced.length);
      }
    }
  }

  private synchronized Forced forced(Path path, long length) {
    Forced forced = files.computeIfAbsent(path, none -> new Forced());
    if (forced.path == null) {
      forced.path = path;
      forced.length = length;
    }
    return forced;
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    DiskFile open = disk.open(file);
    return new CutFile(open, forced(file, open.length()));
  }

  @Override
  public synchronized DiskFile create(Path file) throws IOException {
    requirePower();
    files.remove(file);
    return new CutFile(disk.create(file), forced(file, 0));
  }

  @Override
  public synchronized void rename(Path from, Path to) throws IOException {
    requirePower();
    disk.rename(from, to);
    files.remove(to);
    Forced moved = files.remove(from);
    if (moved != null) {
      moved.path = to;
      files.put(to, moved);
    }
  }

  @Override
  public synchronized void delete(Path file) throws IOException {
    requirePower();
    disk.delete(file);
    files.remove(file);
  }

  @Override
  public List<String> names(Path folder) throws IOException {
    return disk.names(folder);
  }

  @Override
  public void forceFolder(Path folder) throws IOException {
    requirePower();
  }

  private final class CutFile implements DiskFile {
    private final DiskFile file;
    private final Forced forced;

    CutFile(DiskFile file, Forced forced) {
      this.file = file;
      this.forced = forced;
    }

    @Override
    public void read(ByteBuffer into, long offset) throws IOException {
      file.read(into, offset);
    }

    @Override
    public void write(ByteBuffer from, long offset) throws IOException {
      synchronized (PowerCutDisk.this) {
        requirePower();
        long behind = offset + from.remaining();
        for (long sector = offset / SECTOR; sector * SECTOR < behind; sector++) {
          if (!forced.sectors.containsKey(sector)) {
            ByteBuffer before = ByteBuffer.allocate(SECTOR);
            file.read(before, sector * SECTOR);
            forced.sectors.put(sector, before.array());
          }
        }
        file.write(from, offset);
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (PowerCutDisk.this) {
        requirePower();
        forced.sectors.clear();
        forced.length = file.length();
      }
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
