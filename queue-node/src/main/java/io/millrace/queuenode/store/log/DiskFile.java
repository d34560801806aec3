package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** One open file. Thread-safe; a thread that is interrupted in a call closes the file. */
public interface DiskFile extends AutoCloseable {
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
