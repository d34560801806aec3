package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What became of the parts of one body. One thread only. */
final class StreamProgress {
  /** Said for the node when more than one took a part. */
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

  /** A part was refused; the first refusal is told. */
  void failed(LinePart part, MillraceException problem) {
    failed(
        new MillraceException(
            problem.code(),
            "lines " + lines(part.firstLine(), part.lastLine()) + ": " + problem.getMessage(),
            problem));
  }

  /** The body could not be read on. */
  void failed(MillraceException problem) {
    if (failure == null) {
      failure = problem;
    }
  }

  boolean failed() {
    return failure != null;
  }

  /** The sum of all parts, or the failure with what is stored in spite of it. */
  SendAnswer answer() {
    if (failure != null) {
      throw new MillraceException(
          failure.code(), failure.getMessage() + ". " + standing(), failure);
    }
    String node = nodes.size() == 1 ? nodes.iterator().next() : SEVERAL;
    return new SendAnswer(queue, name, accepted, repeated, node);
  }

  private String standing() {
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
    // A mended body is cut elsewhere, and its parts would be taken for those stored already.
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

  /** A body that broke off while it was read. */
  static MillraceException brokenOff(Exception cause) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST, "the body broke off: " + cause.getMessage(), cause);
  }
}
