package io.millrace.cli.job;

import io.millrace.api.client.CentralClient;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/**
 * Copies one stream of an attempt to the user until the attempt has ended; goes on from where it
 * broke off if the connection breaks. Runs once, on a thread of its own.
 */
final class StreamCopy implements Runnable {
  private static final int TRIES = 20;
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final CentralClient central;
  private final Sinks sinks;
  private final long job;
  private final int attempt;
  private final String stream;
  private long offset;
  private volatile boolean found = true;

  StreamCopy(CentralClient central, Sinks sinks, long job, int attempt, String stream) {
    this.central = central;
    this.sinks = sinks;
    this.job = job;
    this.attempt = attempt;
    this.stream = stream;
  }

  String stream() {
    return stream;
  }

  /** Whether the attempt's node knew of the attempt when it was last asked. */
  boolean found() {
    return found;
  }

  @Override
  public void run() {
    found = true;
    Waiter waiter = new Waiter();
    try (OutputStream out = sinks.open(job, attempt, stream)) {
      for (int tried = 0; tried < TRIES && !copiedToTheEnd(out); tried++) {
        waiter.await(PAUSE);
      }
    } catch (IOException e) {
      // The user's own output is closed (a pipe to head); nobody is there to tell.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean copiedToTheEnd(OutputStream out) throws IOException {
    byte[] chunk = new byte[8192];
    try (InputStream in = central.logs(job, attempt, stream, offset, true)) {
      while (true) {
        int read = readOrBreak(in, chunk);
        if (read <= 0) {
          return read == 0;
        }
        out.write(chunk, 0, read);
        out.flush();
        offset += read;
      }
    } catch (MillraceException e) {
      // What has shown something was there, whatever its node says later.
      found = offset > 0 || e.code() != ErrorCode.UNKNOWN_ATTEMPT;
      return e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.UNAVAILABLE;
    }
  }

  /** The bytes read, 0 at the end, -1 when the connection broke. */
  private static int readOrBreak(InputStream in, byte[] chunk) {
    try {
      return Math.max(0, in.read(chunk));
    } catch (IOException e) {
      return -1;
    }
  }
}
