package io.millrace.platform.http;

import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * A body that is read as it arrives and must do so fast enough. Only the time is counted in which
 * its reader waits for it; a client that falls silent is waited for no longer than that. At the end
 * of the body, or when it is closed, it leaves its place to another one. Used by one thread;
 * blocks.
 */
final class PacedBody extends InputStream {
  private final AwaitedBody in;
  private final long length;
  private final Duration first;
  private final Clock clock;
  private final Runnable leave;
  private long received;
  private long waited;
  private boolean left;

  /**
   * A body from its beginning.
   *
   * @param length as announced; negative if it was not
   * @param first how long it may take, in addition to one second for each 32 KiB
   * @param leave called once
   */
  PacedBody(AwaitedBody in, long length, Duration first, Clock clock, Runnable leave) {
    this.in = in;
    this.length = length;
    this.first = first;
    this.clock = clock;
    this.leave = leave;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /**
   * Reads what has arrived.
   *
   * @throws io.millrace.api.MillraceException TIMEOUT if the body arrives too slowly
   */
  @Override
  public int read(byte[] into, int offset, int count) throws IOException {
    long begun = clock.nanoTime();
    Duration allowed = ServerBounds.allowed(first, received);
    int read = in.read(into, offset, count, allowed.minusNanos(waited));
    waited += clock.nanoTime() - begun;
    received += Math.max(0, read);
    if (read == AwaitedBody.SILENT) {
      throw RequestBodies.tooSlow(received, allowed);
    }
    if (read < 0 || received == length) {
      close();
    } else {
      requireInTime();
    }
    return read;
  }

  private void requireInTime() {
    Duration allowed = ServerBounds.allowed(first, received);
    if (waited > allowed.toNanos()) {
      throw RequestBodies.tooSlow(received, allowed);
    }
  }

  @Override
  public void close() {
    if (!left) {
      left = true;
      leave.run();
    }
  }
}
