package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Reads request bodies within bounds of size, time and threads: each reader occupies a thread of
 * the server until its body has arrived, so that slow clients are cut off, and only some threads
 * read at a time. Thread-safe.
 */
final class RequestBodies {
  private static final String ATTRIBUTE = "millrace.bodies";
  private static final String READ = "millrace.body";
  private static final int PIECE = 16 << 10;

  /** A client may take this long, and one second more for each 32 KiB that it has sent. */
  static final Duration GRACE = Duration.ofSeconds(30);

  private static final int BYTES_PER_SECOND = 32 << 10;

  private final long maxBytes;
  private final Semaphore readers;
  private final Clock clock;
  private final Duration grace;

  RequestBodies(long maxBytes, int maxReaders) {
    this(maxBytes, maxReaders, GRACE, new SystemClock());
  }

  /** With another grace and clock, for tests. */
  RequestBodies(long maxBytes, int maxReaders, Duration grace, Clock clock) {
    this.maxBytes = maxBytes;
    this.readers = new Semaphore(maxReaders);
    this.grace = grace;
    this.clock = clock;
  }

  /** Makes the body of the request readable by {@link #body}. */
  void serve(Context ctx) {
    ctx.attribute(ATTRIBUTE, this);
  }

  /**
   * The body of the request; blocks until it has arrived.
   *
   * @throws MillraceException BODY_TOO_LARGE; TIMEOUT if it arrives too slowly; UNAVAILABLE if too
   *     many other bodies are arriving
   */
  static byte[] body(Context ctx) {
    byte[] known = ctx.attribute(READ);
    if (known == null) {
      RequestBodies bodies = ctx.attribute(ATTRIBUTE);
      if (bodies == null) {
        throw new IllegalStateException("the server of " + ctx.path() + " reads no bodies");
      }
      known = bodies.read(ctx);
      ctx.attribute(READ, known);
    }
    return known;
  }

  private byte[] read(Context ctx) {
    if (!readers.tryAcquire()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this server is receiving too many bodies; send again later");
    }
    try {
      return read(ctx.req().getInputStream(), ctx.req().getContentLengthLong());
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.MALFORMED_BODY, "the body did not arrive completely: " + e.getMessage(), e);
    } finally {
      readers.release();
    }
  }

  /**
   * Reads a body.
   *
   * @param length as announced; negative if it was not
   */
  byte[] read(InputStream in, long length) throws IOException {
    if (length > maxBytes) {
      throw tooLarge();
    }
    // What is announced is not always sent, so that only a little is reserved for it.
    return length >= 0 && length <= PIECE ? readExactly(in, (int) length) : readAll(in);
  }

  private byte[] readExactly(InputStream in, int length) throws IOException {
    long begun = clock.nanoTime();
    byte[] body = new byte[length];
    int read = 0;
    while (read < length) {
      int count = in.read(body, read, length - read);
      if (count < 0) {
        throw new IOException("it ended after " + read + " of " + length + " bytes");
      }
      read += count;
      requireInTime(begun, read);
    }
    return body;
  }

  private byte[] readAll(InputStream in) throws IOException {
    long begun = clock.nanoTime();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
      body.write(piece, 0, count);
      if (body.size() > maxBytes) {
        throw tooLarge();
      }
      requireInTime(begun, body.size());
    }
    return body.toByteArray();
  }

  private static MillraceException tooLarge() {
    return new MillraceException(ErrorCode.BODY_TOO_LARGE, ErrorResponses.tooLarge().detail());
  }

  private void requireInTime(long begun, int received) {
    Duration allowed = grace.plusSeconds(received / BYTES_PER_SECOND);
    if (clock.nanoTime() - begun > allowed.toNanos()) {
      throw new MillraceException(
          ErrorCode.TIMEOUT,
          "the body arrived too slowly: %d bytes in more than %d s"
              .formatted(received, allowed.toSeconds()));
    }
  }
}
