package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** What the log asks of a file system; tests let it fail. Thread-safe. */
public interface Disk {
  /** Opens an existing file for reading and writing. */
  DiskFile open(Path file) throws IOException;

  /** Makes an empty file, in place of one that is there. */
  DiskFile create(Path file) throws IOException;

  /** Gives a file another name, in place of a file that has it, at once or not at all. */
  void rename(Path from, Path to) throws IOException;

  /** Deletes the file if it is there. */
  void delete(Path file) throws IOException;

  /** Names of the files in a folder, ascending. */
  List<String> names(Path folder) throws IOException;

  /** Makes names given and taken in the folder last through the loss of power. Blocks. */
  void forceFolder(Path folder) throws IOException;

  /** One open file. Thread-safe; a thread that is interrupted in a call closes the file. */
  interface DiskFile extends AutoCloseable {
    /** Fills the buffer from the offset on, until it is full or the file ends. */
    void read(ByteBuffer into, long offset) throws IOException;

    /** Writes the whole buffer; after a failure any part of it may have been written. */
    void write(ByteBuffer from, long offset) throws IOException;

    /** Makes what was written last through the loss of power. Blocks for the disk. */
    void force() throws IOException;

    long length() throws IOException;

    @Override
    void close() throws IOException;
  }
}
