package io.millrace.executor.batch;

import io.millrace.api.event.EventResult;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogExcerpt;
import io.millrace.executor.supervision.LogStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The results in the output of a worker, read while it is written. Memory is bounded by one piece
 * and one line. Used by one thread at a time.
 */
final class ResultLines {
  private static final int PIECE = 256 << 10;

  /**
   * A result.
   *
   * @param result what the line says
   * @param at where the line begins in the output
   */
  record ResultLine(EventResult result, long at) {}

  private final AttemptDirectory directory;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean tooLong;
  private long position;
  private long complete;

  /**
   * @param offset where to begin, at the beginning of a line
   */
  ResultLines(AttemptDirectory directory, long offset) {
    this.directory = directory;
    this.position = offset;
    this.complete = offset;
  }

  /** The offset after the last complete line that was read. */
  long complete() {
    return complete;
  }

  /** Whether there is more to read now. */
  boolean hasMore() throws IOException {
    return directory.size(LogStream.STDOUT) > position;
  }

  /** The results in the next piece of the output; reads the disk. */
  List<ResultLine> next() throws IOException {
    LogExcerpt piece = directory.read(LogStream.STDOUT, position, PIECE);
    byte[] bytes = piece.bytes();
    List<ResultLine> results = new ArrayList<>();
    if (piece.next() - piece.offset() != bytes.length) {
      // A part of the output was dropped; what was begun before it has no end.
      line.reset();
      tooLong = false;
      complete = piece.next();
    } else {
      int from = 0;
      for (int i = 0; i < bytes.length; i++) {
        if (bytes[i] == '\n') {
          take(bytes, from, i - from);
          end(results);
          from = i + 1;
          complete = piece.offset() + from;
        }
      }
      take(bytes, from, bytes.length - from);
    }
    position = piece.next();
    return results;
  }

  /** The result in a last line without a line break, once the worker has ended. */
  List<ResultLine> rest() {
    List<ResultLine> results = new ArrayList<>();
    end(results);
    return results;
  }

  private void take(byte[] bytes, int from, int length) {
    if (tooLong || line.size() + length > EventResult.LONGEST_LINE) {
      tooLong = true;
      line.reset();
    } else {
      line.write(bytes, from, length);
    }
  }

  private void end(List<ResultLine> results) {
    if (!tooLong) {
      long begin = complete;
      EventResult.parse(line.toString(StandardCharsets.UTF_8))
          .ifPresent(result -> results.add(new ResultLine(result, begin)));
    }
    line.reset();
    tooLong = false;
  }
}
