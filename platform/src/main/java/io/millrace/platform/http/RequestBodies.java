package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.lifecycle.ByteBudget;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads request bodies within bounds of size, time, threads and memory: each reader occupies a
 * thread of the server until its body has arrived, so that slow clients are cut off, and only some
 * threads read at a time. What arrives is charged to a budget until its request has been handled; a
 * body for which nothing is left is refused, never delayed. Short bodies are not charged, so that
 * heartbeats are received beside large uploads. Thread-safe.
 */
final class RequestBodies {
  private static final String ATTRIBUTE = "millrace.bodies";
  private static final String READ = "millrace.body";
  private static final String CHARGED = "millrace.body.charged";
  private static final int PIECE = 16 << 10;

  /** A client may take this long, and one second more for each 32 KiB that it has sent. */
  static final Duration GRACE = Duration.ofSeconds(30);

  private static final int BYTES_PER_SECOND = 32 << 10;

  // A body is copied once after it has arrived.
  private static final int COPIES = 2;

  private final long maxBytes;
  private final BodyReaders readers;
  private final ByteBudget memory;
  private final Clock clock;
  private final Duration grace;

  /**
   * Reads nothing yet.
   *
   * @param memory for the bodies of all requests together
   */
  RequestBodies(long maxBytes, BodyReaders readers, ByteBudget memory) {
    this(maxBytes, readers, memory, GRACE, new SystemClock());
  }

  /** With another grace and clock, for tests. */
  RequestBodies(
      long maxBytes, BodyReaders readers, ByteBudget memory, Duration grace, Clock clock) {
    this.maxBytes = maxBytes;
    this.memory = memory;
    this.readers = readers;
    this.grace = grace;
    this.clock = clock;
  }

  /** Makes the body of the request readable by {@link #body}. */
  void serve(Context ctx) {
    ctx.attribute(ATTRIBUTE, this);
  }

  /** A third of the heap, for servers. */
  static ByteBudget usualMemory() {
    return new ByteBudget(Runtime.getRuntime().maxMemory() / 3, Duration.ZERO);
  }

  /** Gives up the body of a request that was handled. */
  void end(Context ctx) {
    Integer charged = ctx.attribute(CHARGED);
    if (charged != null) {
      ctx.attribute(CHARGED, null);
      ctx.attribute(READ, null);
      release(charged);
    }
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
    long length = ctx.req().getContentLengthLong();
    Principal caller = ctx.attribute(Requests.PRINCIPAL);
    if (!readers.begin(caller)) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this server is receiving too many bodies; send again later");
    }
    try {
      byte[] body = read(ctx.req().getInputStream(), length);
      ctx.attribute(CHARGED, isShort(length) ? null : body.length / PIECE);
      return body;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.MALFORMED_BODY, "the body did not arrive completely: " + e.getMessage(), e);
    } finally {
      readers.end(caller);
    }
  }

  /**
   * Reads a body. Its full pieces remain charged, unless it was announced as one piece at most.
   *
   * @param length as announced; negative if it was not
   */
  byte[] read(InputStream in, long length) throws IOException {
    if (length > maxBytes) {
      throw tooLarge();
    }
    // What is announced is not always sent, so that only a little is reserved for it.
    return isShort(length) ? readExactly(in, (int) length) : readAll(in);
  }

  private static boolean isShort(long length) {
    return length >= 0 && length <= PIECE;
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
    List<byte[]> full = new ArrayList<>();
    byte[] piece = new byte[PIECE];
    int filled = 0;
    boolean complete = false;
    try {
      for (int count = in.read(piece); count >= 0; count = in.read(piece, filled, PIECE - filled)) {
        filled += count;
        int received = full.size() * PIECE + filled;
        if (received > maxBytes) {
          throw tooLarge();
        }
        requireInTime(begun, received);
        if (filled == PIECE) {
          charge();
          full.add(piece);
          piece = new byte[PIECE];
          filled = 0;
        }
      }
      byte[] body = joined(full, piece, filled);
      complete = true;
      return body;
    } finally {
      if (!complete) {
        release(full.size());
      }
    }
  }

  private static byte[] joined(List<byte[]> full, byte[] last, int filled) {
    byte[] body = Arrays.copyOf(last, full.size() * PIECE + filled);
    for (int i = 0; i < full.size(); i++) {
      System.arraycopy(full.get(i), 0, body, i * PIECE, PIECE);
    }
    System.arraycopy(last, 0, body, full.size() * PIECE, filled);
    return body;
  }

  private void charge() {
    try {
      if (memory.reserve(COPIES * PIECE)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.UNAVAILABLE, "this server is stopping", e);
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        "this server has no memory for more large bodies now; send again later, or in smaller parts");
  }

  private void release(int pieces) {
    for (int i = 0; i < pieces; i++) {
      memory.release(COPIES * PIECE);
    }
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
