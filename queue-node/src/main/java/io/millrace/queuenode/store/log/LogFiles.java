package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.EventLog.EventVisitor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of an open log, ascending. One thread. */
final class LogFiles implements AutoCloseable {
  private final List<LogFile> files;

  LogFiles(List<LogFile> files) {
    this.files = new ArrayList<>(files);
  }

  List<LogFile> all() {
    return List.copyOf(files);
  }

  int count() {
    return files.size();
  }

  long length() {
    long length = 0;
    for (LogFile file : files) {
      length += file.length();
    }
    return length;
  }

  void add(LogFile file) {
    files.add(file);
  }

  /** The file that contains a live event. */
  LogFile of(long seq) {
    return files.get(position(seq));
  }

  /**
   * Files without events share their first number with the next file, so the last one is chosen.
   */
  private int position(long seq) {
    int low = 0;
    int high = files.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (files.get(middle).header().firstSeq() <= seq) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  int bytesFor(long seq, long other) throws IOException {
    LogFile file = of(seq);
    boolean together = file == of(other) && file.block(seq) == file.block(other);
    return together ? 0 : file.blockBytes(seq);
  }

  void read(long[] ascending, EventVisitor visitor) throws IOException {
    int from = 0;
    while (from < ascending.length) {
      int position = position(ascending[from]);
      long endSeq =
          position + 1 < files.size()
              ? files.get(position + 1).header().firstSeq()
              : Long.MAX_VALUE;
      int to = from + 1;
      while (to < ascending.length && ascending[to] < endSeq) {
        to++;
      }
      files.get(position).read(ascending, from, to, visitor);
      from = to;
    }
  }

  /** Removes and closes files, and adds their replacement if there is one. */
  void change(FileChange change) throws IOException {
    int position = files.indexOf(change.removed().get(0));
    files.removeAll(change.removed());
    if (change.replacement() != null) {
      long live = 0;
      for (LogFile old : change.removed()) {
        live += old.live();
      }
      change.replacement().addLive(live - change.replacement().live());
      files.add(position, change.replacement());
    }
    for (LogFile old : change.removed()) {
      old.file().close();
    }
  }

  @Override
  public void close() throws IOException {
    for (LogFile file : files) {
      file.file().close();
    }
  }

  /**
   * A change that the keeper made to the files, to be applied by the log's thread.
   *
   * @param removed files that are no longer part of the log; their names are already deleted
   * @param replacement the file that replaces them; null if they held nothing live
   * @param spare a file that may be overwritten once this and all earlier changes are applied,
   *     because nothing reads it then; null for none
   */
  record FileChange(List<LogFile> removed, LogFile replacement, Path spare) {
    /** Nothing but a spare file. */
    static FileChange of(Path spare) {
      return new FileChange(List.of(), null, spare);
    }
  }
}
