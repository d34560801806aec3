package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The file system operations of the log; tests inject failures. Thread-safe. */
public interface Disk {
  /** Opens an existing file for reading and writing. */
  DiskFile open(Path file) throws IOException;

  /** Creates an empty file, replacing an existing one. */
  DiskFile create(Path file) throws IOException;

  /** Renames a file atomically, replacing an existing one. */
  void rename(Path from, Path to) throws IOException;

  /** Deletes the file if it exists. */
  void delete(Path file) throws IOException;

  /** Names of the files in a folder, ascending. */
  List<String> names(Path folder) throws IOException;

  /** Makes created, renamed and deleted names in the folder survive a power failure. Blocks. */
  void forceFolder(Path folder) throws IOException;

  /** One open file. Thread-safe; interrupting a thread in a call closes the file. */
  interface DiskFile extends AutoCloseable {
    /** Fills the buffer from the offset until it is full or the file ends. */
    void read(ByteBuffer into, long offset) throws IOException;

    /** Writes the whole buffer; after a failure any part of it may have been written. */
    void write(ByteBuffer from, long offset) throws IOException;

    /** Makes what was written survive a power failure. Waits for the disk. */
    void force() throws IOException;

    long length() throws IOException;

    @Override
    void close() throws IOException;
  }

  /** The file system of this host. */
  final class ChannelDisk implements Disk {
    @Override
    public DiskFile open(Path file) throws IOException {
      return new ChannelFile(
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      return new ChannelFile(
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(Path file) throws IOException {
      Files.deleteIfExists(file);
    }

    @Override
    public List<String> names(Path folder) throws IOException {
      try (Stream<Path> files = Files.list(folder)) {
        return files.map(file -> file.getFileName().toString()).sorted().toList();
      }
    }

    @Override
    public void forceFolder(Path folder) throws IOException {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }

    private record ChannelFile(FileChannel channel) implements DiskFile {
      /** The JDK keeps a direct buffer of the size of each thread's largest write. */
      private static final int AT_ONCE = 1 << 20;

      @Override
      public void read(ByteBuffer into, long offset) throws IOException {
        long at = offset;
        while (into.hasRemaining()) {
          int read = channel.read(into, at);
          if (read < 0) {
            return;
          }
          at += read;
        }
      }

      @Override
      public void write(ByteBuffer from, long offset) throws IOException {
        long at = offset;
        int end = from.limit();
        while (from.position() < end) {
          from.limit(Math.min(end, from.position() + AT_ONCE));
          at += channel.write(from, at);
        }
      }

      @Override
      public void force() throws IOException {
        channel.force(false);
      }

      @Override
      public long length() throws IOException {
        return channel.size();
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    }
  }
}
