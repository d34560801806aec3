package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.forward.LineParts.LinePart;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Sends a body of lines of any length as batches named {@code NAME/0000}, {@code NAME/0001} …, each
 * to the next node in turn; a body that fits in one batch keeps the plain name. Reads ahead only
 * while at most two batches of the request are being sent. Thread-safe; blocks.
 */
public final class StreamSender implements Service {
  /** The most memory of one long body: two batches being sent and one being read. */
  public static final long MEMORY = 3L * LineParts.MAX_BYTES;

  private static final int IN_FLIGHT = 2;
  private static final int MAX_THREADS = 64;
  private static final int LONGEST_NAME = 90;

  private final Forwarder forwarder;
  private final ThreadPoolExecutor senders;

  /** A sender whose threads are named after the balancer. */
  public StreamSender(String balancer, Forwarder forwarder) {
    this.forwarder = forwarder;
    // If all threads are busy, a request sends on its own thread and then continues reading.
    this.senders =
        new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Threads.daemons(balancer + "-stream"),
            new ThreadPoolExecutor.CallerRunsPolicy());
  }

  @Override
  public void start() {
    // Threads are started on demand.
  }

  @Override
  public void stop() {
    senders.shutdownNow();
  }

  /**
   * Sends the entire body.
   *
   * @param batch the batch without its body
   * @param length the body's length if known, or a negative number
   * @throws MillraceException that reports how many of which lines were stored
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
    requireShortName(batch.name());
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

  /** Waits for one batch; every batch being sent is accounted for. */
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
        ErrorCode.UNAVAILABLE, "this load balancer is stopping; use another one", cause);
  }

  private static void requireShortName(String name) {
    if (name.length() > LONGEST_NAME) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          EventMedia.BATCH_HEADER
              + " has at most "
              + LONGEST_NAME
              + " characters for a body of more than "
              + LineParts.MAX_LINES
              + " lines or "
              + LineParts.MAX_BYTES
              + " bytes, because its parts are numbered");
    }
  }

  private record Sent(LinePart part, Future<SendAnswer> answer) {}

  /** The outcomes of the parts of one body. Used by one thread. */
  private static final class StreamProgress {
    /** Reported as the node if more than one stored a part. */
    static final String SEVERAL = "several";

    private final String queue;
    private final String name;
    private final Set<String> nodes = new TreeSet<>();
    private final List<long[]> storedLines = new ArrayList<>();
    private int accepted;
    private boolean repeated = true;
    private MillraceException failure;

    StreamProgress(String queue, String name) {
      this.queue = queue;
      this.name = name;
    }

    void stored(LinePart part, SendAnswer answer) {
      accepted += answer.accepted();
      repeated &= answer.repeated();
      nodes.add(answer.node());
      long[] previous = storedLines.isEmpty() ? null : storedLines.get(storedLines.size() - 1);
      if (previous != null && previous[1] + 1 == part.firstLine()) {
        previous[1] = part.lastLine();
      } else {
        storedLines.add(new long[] {part.firstLine(), part.lastLine()});
      }
    }

    /** A part was refused; the first refusal is reported. */
    void failed(LinePart part, MillraceException problem) {
      failed(
          new MillraceException(
              problem.code(),
              "lines " + lines(part.firstLine(), part.lastLine()) + ": " + problem.getMessage(),
              problem));
    }

    /** The rest of the body could not be read. */
    void failed(MillraceException problem) {
      if (failure == null) {
        failure = problem;
      }
    }

    boolean failed() {
      return failure != null;
    }

    /** The sum of all parts, or the failure with the amount stored before it. */
    SendAnswer answer() {
      if (failure != null) {
        throw new MillraceException(
            failure.code(), failure.getMessage() + ". " + progress(), failure);
      }
      String node = nodes.size() == 1 ? nodes.iterator().next() : SEVERAL;
      return new SendAnswer(queue, name, accepted, repeated, node);
    }

    private String progress() {
      if (failure.code() == ErrorCode.CONFLICT && accepted > 0) {
        return "The name "
            + name
            + " was used before. If it was for this body, whose lines "
            + ranges()
            + " are stored, send the others under another name; if it was for a different body, send"
            + " all of this one under another name.";
      }
      boolean mistake = failure.code().status() < 500 && failure.code().status() != 429;
      if (accepted == 0) {
        return mistake
            ? "Nothing of the body is stored."
            : "Nothing of the body is known to be stored. " + again();
      }
      String stored =
          String.format(
              Locale.ROOT, "Of the body %d events are stored: lines %s. ", accepted, ranges());
      // A corrected body is cut elsewhere, and its parts would be mistaken for those stored
      // already.
      return stored
          + (mistake
              ? "Correct the remaining lines and send only those, under another name."
              : again());
    }

    private String ranges() {
      return storedLines.stream()
          .map(range -> lines(range[0], range[1]))
          .collect(Collectors.joining(", "));
    }

    private String again() {
      return "Send the same body again under the batch name "
          + name
          + " within ten minutes: what is stored is not stored twice.";
    }

    private static String lines(long first, long last) {
      return first == last ? Long.toString(first) : first + " to " + last;
    }

    /** A body that ended early while it was read. */
    static MillraceException brokenOff(Exception cause) {
      return new MillraceException(
          ErrorCode.INVALID_REQUEST, "the body ended early: " + cause.getMessage(), cause);
    }
  }
}
