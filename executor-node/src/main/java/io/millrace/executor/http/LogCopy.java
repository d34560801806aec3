package io.millrace.executor.http;

import io.millrace.executor.agent.HeldAttempts;
import io.millrace.executor.run.Run;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogExcerpt;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Copies one output of an attempt to one reader. Used by one thread.
 *
 * <p>Its position counts the bytes as the program wrote them; the line that stands for a dropped
 * part is not one of them.
 */
final class LogCopy {
  private static final int PIECE = 64 * 1024;
  private static final long LOOK_MILLIS = 200;

  private final AttemptDirectory directory;
  private final LogStream stream;
  private long position;

  /** Begins at the offset, or at the end of what is there when that is before it. */
  LogCopy(AttemptDirectory directory, LogStream stream, long offset) throws IOException {
    this.directory = directory;
    this.stream = stream;
    this.position = directory.read(stream, offset, 1).offset();
  }

  /** The next byte. */
  long position() {
    return position;
  }

  /** Copies what is there now, and not what a busy attempt adds meanwhile. */
  void copyOnce(OutputStream out) throws IOException {
    copyTo(directory.read(stream, position, 1).size(), out);
  }

  /** Copies until the attempt has ended; a reader that is gone is noticed at the next output. */
  void follow(OutputStream out, HeldAttempts held)
      throws IOException, InterruptedException, ExecutionException {
    boolean live = true;
    while (live) {
      // Asked before the copying, so that nothing written before the end is missed.
      Optional<Run> run = held.run(directory.id()).filter(one -> !one.result().isDone());
      live = run.isPresent();
      copyTo(Long.MAX_VALUE, out);
      out.flush();
      if (live) {
        await(run.get());
      }
    }
  }

  private void copyTo(long end, OutputStream out) throws IOException {
    while (position < end) {
      int most = (int) Math.min(PIECE, end - position);
      LogExcerpt excerpt = directory.read(stream, position, most);
      byte[] bytes = excerpt.bytes();
      if (bytes.length == 0) {
        return;
      }
      out.write(bytes);
      position = excerpt.next();
    }
  }

  private static void await(Run run) throws InterruptedException, ExecutionException {
    try {
      run.result().get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException stillRunning) {
      return;
    }
  }
}
