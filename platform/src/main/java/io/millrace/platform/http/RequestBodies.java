package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Principal;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.EndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads request bodies within bounds of size, time, memory and threads: each reader occupies a
 * thread of the server until its body has arrived, so that slow clients are cut off, and only some
 * threads read at a time. Bodies on open routes are small, and have readers of their own.
 * Thread-safe.
 */
final class RequestBodies {
  /** Bodies up to this size, of which there are at most as many as readers, need no reservation. */
  static final int PIECE = 16 << 10;

  /** A streamed body that is announced with more counts as a long one. */
  private static final long BRIEF_STREAM = 1L << 20;

  /**
   * What is read of a refused body, and for how long. A client that is still writing when the
   * connection is closed may see a broken pipe instead of the refusal.
   */
  private static final long MAX_DISCARDED = 64L << 20;

  private static final Duration DISCARDING = Duration.ofSeconds(5);
  private static final Duration DISCARDING_OF_STRANGER = Duration.ofSeconds(2);

  /** The strangers whose refused bodies are read at a time; the other ones' are not. */
  static final int REFUSED_STRANGERS = 16;

  private static final Logger LOGGER = LoggerFactory.getLogger(RequestBodies.class);
  private static final String ATTRIBUTE = "millrace.body";

  private final long maxBytes;
  private final ServerBounds bounds;
  private final BodyReaders readers;
  private final Semaphore openReaders;
  private final Semaphore streams;
  private final Semaphore refusedStrangers = new Semaphore(REFUSED_STRANGERS);
  private final BodyBudget memory;
  private final Clock clock;

  RequestBodies(long maxBytes, ServerBounds bounds) {
    this(maxBytes, bounds, new SystemClock());
  }

  /** With another clock, for tests. */
  RequestBodies(long maxBytes, ServerBounds bounds, Clock clock) {
    this.maxBytes = maxBytes;
    this.bounds = bounds;
    this.readers =
        new BodyReaders(bounds.userReaders(), bounds.nodeReaders(), bounds.nodeReadersOfOne());
    this.openReaders = new Semaphore(bounds.openReaders());
    this.streams = new Semaphore(bounds.streams());
    this.memory = new BodyBudget(bounds.bodyBytes());
    this.clock = clock;
  }

  /** The largest body of a route. */
  long largest(Route route) {
    return route.open() ? Math.min(maxBytes, route.maxBody()) : maxBytes;
  }

  /**
   * Makes the body of the request readable by {@link #body} and {@link #stream}. Whatever it then
   * holds must be released with {@link #release}.
   */
  void serve(Context ctx, Route route) {
    ctx.attribute(ATTRIBUTE, new Arrival(route));
  }

  /** Gives back what the request's body holds. */
  static void release(Context ctx) {
    arrival(ctx).release();
  }

  /**
   * The body of the request; blocks until it has arrived.
   *
   * @throws MillraceException BODY_TOO_LARGE; TIMEOUT if it arrives too slowly; UNAVAILABLE if too
   *     many other bodies are arriving
   */
  static byte[] body(Context ctx) {
    return arrival(ctx).body(ctx);
  }

  /**
   * The body of the request as a stream of any length.
   *
   * @throws MillraceException UNAVAILABLE if too many other bodies are arriving
   */
  static InputStream stream(Context ctx) {
    return arrival(ctx).stream(ctx);
  }

  /** Reads and forgets some of a body that was refused, if there is a place for it. */
  void discard(Context ctx) {
    discard(ctx, streams, DISCARDING);
  }

  /** The same for a caller without credentials, who gets fewer places and less time. */
  void discardOfStranger(Context ctx) {
    discard(ctx, refusedStrangers, DISCARDING_OF_STRANGER);
  }

  private void discard(Context ctx, Semaphore places, Duration most) {
    if (!places.tryAcquire()) {
      return;
    }
    RequestThreads.leaveRoomOfStranger(ctx);
    EndPoint connection = RequestThreads.connection(ctx);
    long idle = connection.getIdleTimeout();
    connection.setIdleTimeout(most.toMillis());
    long begun = clock.nanoTime();
    try {
      InputStream in = ctx.req().getInputStream();
      byte[] piece = new byte[PIECE];
      long discarded = 0;
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        discarded += count;
        if (discarded > MAX_DISCARDED || clock.nanoTime() - begun > most.toNanos()) {
          return;
        }
      }
      connection.setIdleTimeout(idle);
    } catch (IOException e) {
      LOGGER.trace("the client of a refused body has disconnected", e);
    } finally {
      places.release();
    }
  }

  /** The bytes of memory that bodies hold now. */
  long held() {
    return memory.used();
  }

  private static AwaitedBody arriving(Context ctx) throws IOException {
    return new AwaitedBody(ctx.req().getInputStream(), RequestThreads.connection(ctx));
  }

  private static Arrival arrival(Context ctx) {
    Arrival arrival = ctx.attribute(ATTRIBUTE);
    if (arrival == null) {
      throw new IllegalStateException("the server of " + ctx.path() + " reads no bodies");
    }
    return arrival;
  }

  /** The body of one request. Used by its thread. */
  private final class Arrival {
    private final Route route;
    private byte[] body;
    private PacedBody stream;
    private long reserved;

    Arrival(Route route) {
      this.route = route;
    }

    byte[] body(Context ctx) {
      if (body == null) {
        body = route.open() ? readOfStranger(ctx) : readOfKnown(ctx);
      }
      return body;
    }

    private byte[] readOfKnown(Context ctx) {
      Runnable end = requireReader(ctx);
      try {
        return read(ctx, bounds.body());
      } finally {
        end.run();
      }
    }

    private byte[] readOfStranger(Context ctx) {
      Client client = RequestThreads.client(ctx);
      if (!Client.enter(client.bodies(), bounds.openReadersOfClient())) {
        throw tooMany();
      }
      try {
        requirePlace(openReaders);
        try {
          return read(ctx, bounds.openBody());
        } finally {
          openReaders.release();
        }
      } finally {
        client.bodies().decrementAndGet();
      }
    }

    private byte[] read(Context ctx, Duration first) {
      long length = ctx.req().getContentLengthLong();
      try {
        return readWithin(arriving(ctx), length, largest(route), first);
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.MALFORMED_BODY, "the body did not arrive completely: " + e.getMessage(), e);
      }
    }

    byte[] readWithin(AwaitedBody in, long length, long max, Duration first) throws IOException {
      if (length > max) {
        throw tooLarge();
      }
      long begun = clock.nanoTime();
      // What is announced is not always sent, so that only a little is reserved for it.
      byte[] bytes = new byte[(int) (length < 0 ? PIECE : Math.min(PIECE, length))];
      int filled = 0;
      while (length < 0 || filled < length) {
        if (filled == bytes.length) {
          bytes = larger(bytes, length < 0 ? max + 1 : length);
        }
        Duration allowed = ServerBounds.allowed(first, filled);
        Duration left = allowed.minusNanos(clock.nanoTime() - begun);
        if (left.isNegative()) {
          throw tooSlow(filled, allowed);
        }
        int count = in.read(bytes, filled, bytes.length - filled, left);
        if (count == AwaitedBody.SILENT) {
          throw tooSlow(filled, allowed);
        }
        if (count < 0) {
          break;
        }
        filled += count;
        if (filled > max) {
          throw tooLarge();
        }
      }
      if (filled < length) {
        throw new IOException("it ended after " + filled + " of " + length + " bytes");
      }
      return filled == bytes.length ? bytes : Arrays.copyOf(bytes, filled);
    }

    private byte[] larger(byte[] full, long most) {
      int size = (int) Math.min(Math.max(2L * full.length, 2L * PIECE), most);
      memory.take(size);
      reserved += size;
      byte[] copy = Arrays.copyOf(full, size);
      if (full.length > PIECE) {
        memory.release(full.length);
        reserved -= full.length;
      }
      return copy;
    }

    InputStream stream(Context ctx) {
      if (stream == null) {
        long length = ctx.req().getContentLengthLong();
        boolean brief = length >= 0 && length <= BRIEF_STREAM;
        Runnable end = brief ? requireReader(ctx) : requireStream();
        try {
          stream = new PacedBody(arriving(ctx), length, bounds.body(), clock, end);
        } catch (IOException e) {
          end.run();
          throw new MillraceException(
              ErrorCode.MALFORMED_BODY, "the body cannot be read: " + e.getMessage(), e);
        }
      }
      return stream;
    }

    void release() {
      memory.release(reserved);
      reserved = 0;
      if (stream != null) {
        stream.close();
      }
    }
  }

  /** Reads a body, for tests. */
  byte[] read(InputStream in, long length) throws IOException {
    Arrival arrival = new Arrival(null);
    try {
      return arrival.readWithin(new AwaitedBody(in, null), length, maxBytes, bounds.body());
    } finally {
      arrival.release();
    }
  }

  // Returns what gives the place back.
  private Runnable requireReader(Context ctx) {
    Principal caller = Requests.principal(ctx);
    if (!readers.begin(caller)) {
      throw tooMany();
    }
    return () -> readers.end(caller);
  }

  private Runnable requireStream() {
    requirePlace(streams);
    return streams::release;
  }

  private static void requirePlace(Semaphore places) {
    if (!places.tryAcquire()) {
      throw tooMany();
    }
  }

  private static MillraceException tooMany() {
    return new MillraceException(
        ErrorCode.UNAVAILABLE, "this server is receiving too many bodies; send again later");
  }

  private static MillraceException tooLarge() {
    return new MillraceException(ErrorCode.BODY_TOO_LARGE, ErrorResponses.tooLarge().detail());
  }

  static MillraceException tooSlow(long received, Duration allowed) {
    return new MillraceException(
        ErrorCode.TIMEOUT,
        "the body arrived too slowly: %d bytes in more than %d s"
            .formatted(received, allowed.toSeconds()));
  }
}
