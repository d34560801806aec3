package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends a body of lines of any length as batches named {@code NAME/0000}, {@code NAME/0001} …, each
 * to the node that its turn brings; a body that fits one batch keeps the plain name. Reads on only
 * while at most two batches of the request are on their way. Thread-safe; blocks.
 */
public final class StreamSender implements Service {
  /** Memory that one long body takes at the most: two batches on their way and one being read. */
  public static final long MEMORY = 3L * LineParts.MOST_BYTES;

  private static final int IN_FLIGHT = 2;
  private static final int MOST_THREADS = 64;
  private static final int LONGEST_NAME = 90;

  private final Forwarder forwarder;
  private final ThreadPoolExecutor senders;

  /** The balancer's name is part of its threads' names. */
  public StreamSender(String balancer, Forwarder forwarder) {
    this.forwarder = forwarder;
    // With all threads busy a request sends on its own thread, and reads on after that.
    this.senders =
        new ThreadPoolExecutor(
            0,
            MOST_THREADS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Threads.daemons(balancer + "-stream"),
            new ThreadPoolExecutor.CallerRunsPolicy());
  }

  @Override
  public void start() {
    // Threads start with their work.
  }

  @Override
  public void stop() {
    senders.shutdownNow();
  }

  /**
   * Sends the whole body.
   *
   * @param batch everything but the body
   * @param length the body's length if it was told, or a negative number
   * @throws MillraceException that says how much of which lines is stored
   */
  public SendAnswer send(Batch batch, InputStream body, long length) {
    forwarder.check(batch);
    LineParts parts = new LineParts(body, length);
    StreamProgress progress = new StreamProgress(batch.queue(), batch.name());
    Optional<LinePart> first = read(parts, progress);
    if (first.isPresent() && first.get().alone()) {
      return forwarder.forward(batch.of(first.get().body()));
    }
    if (first.isEmpty() && !progress.failed()) {
      return forwarder.forward(batch.of(new byte[0]));
    }
    requireRoomForNumbers(batch.name());
    sendAll(batch, first, parts, progress);
    return progress.answer();
  }

  private void sendAll(
      Batch batch, Optional<LinePart> first, LineParts parts, StreamProgress progress) {
    Deque<Sent> window = new ArrayDeque<>();
    Optional<LinePart> next = first;
    while (next.isPresent() && !progress.failed()) {
      LinePart part = next.get();
      window.add(
          new Sent(
              part,
              senders.submit(() -> forwarder.forward(batch.part(part.number(), part.body())))));
      if (window.size() >= IN_FLIGHT) {
        settle(window.remove(), progress);
      }
      next = progress.failed() || part.last() ? Optional.empty() : read(parts, progress);
    }
    while (!window.isEmpty()) {
      settle(window.remove(), progress);
    }
  }

  private static Optional<LinePart> read(LineParts parts, StreamProgress progress) {
    try {
      return parts.next();
    } catch (MillraceException e) {
      progress.failed(e);
    } catch (IOException e) {
      progress.failed(StreamProgress.brokenOff(e));
    }
    return Optional.empty();
  }

  /** Waits for one batch; what is on its way is never left behind untold. */
  private static void settle(Sent sent, StreamProgress progress) {
    try {
      progress.stored(sent.part(), sent.answer().get());
    } catch (ExecutionException e) {
      progress.failed(sent.part(), problem(e.getCause()));
    } catch (CancellationException e) {
      progress.failed(sent.part(), stopping(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      progress.failed(sent.part(), stopping(e));
    }
  }

  private static MillraceException problem(Throwable cause) {
    return cause instanceof MillraceException known
        ? known
        : new MillraceException(ErrorCode.INTERNAL, "sending failed: " + cause, cause);
  }

  private static MillraceException stopping(Exception cause) {
    return new MillraceException(
        ErrorCode.UNAVAILABLE, "this load balancer is stopping; ask another one", cause);
  }

  private static void requireRoomForNumbers(String name) {
    if (name.length() > LONGEST_NAME) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          EventMedia.BATCH_HEADER
              + " has at most "
              + LONGEST_NAME
              + " characters for a body of more than "
              + LineParts.MOST_LINES
              + " lines or "
              + LineParts.MOST_BYTES
              + " bytes, whose parts are numbered");
    }
  }

  private record Sent(LinePart part, Future<SendAnswer> answer) {}
}
