package io.millrace.platform.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.EndPoint;

/**
 * A body whose client is waited for no longer than allowed. While a request is handled its
 * connection has no other timeout, so that a client that fell silent would be waited for without
 * end. Used by one thread; blocks.
 */
final class AwaitedBody {
  /** Returned if nothing has arrived in time. */
  static final int SILENT = -2;

  private final InputStream in;
  private final EndPoint connection;

  /**
   * A body on that connection.
   *
   * @param connection null if the body does not come from one
   */
  AwaitedBody(InputStream in, EndPoint connection) {
    this.in = in;
    this.connection = connection;
  }

  /**
   * Reads what has arrived, or waits until something does.
   *
   * @param most how long it waits
   * @return how many bytes were read; -1 at the end of the body; {@link #SILENT}
   */
  int read(byte[] into, int offset, int count, Duration most) throws IOException {
    if (connection == null || in.available() > 0) {
      return in.read(into, offset, count);
    }
    long idle = connection.getIdleTimeout();
    connection.setIdleTimeout(Math.max(1, most.toMillis()));
    try {
      return in.read(into, offset, count);
    } catch (IOException e) {
      if (isTimeout(e)) {
        return SILENT;
      }
      throw e;
    } finally {
      connection.setIdleTimeout(idle);
    }
  }

  private static boolean isTimeout(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof TimeoutException) {
        return true;
      }
    }
    return false;
  }
}
