package io.millrace.tests.drill.network;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Follows the HTTP/1.1 requests of one connection, whose bodies have a length, and lets an {@link
 * Interference} repeat or remove them. Has no effect on connections of other protocols. Used by one
 * thread.
 */
final class RequestTap {
  private static final List<String> METHODS = List.of("GET ", "POST ", "PUT ", "DELETE ");
  private static final String HEADERS_END = "\r\n\r\n";
  private static final String LENGTH = "\r\ncontent-length:";

  private final List<Interference> interferences;
  private final ByteArrayOutputStream request = new ByteArrayOutputStream();
  private boolean foreign;
  // -1 until the headers are complete.
  private long wanted = -1;
  private Interference taker;
  private boolean decided;

  /** The list may change concurrently. */
  RequestTap(List<Interference> interferences) {
    this.interferences = interferences;
  }

  /** What is to happen to bytes on their way to the server. */
  enum Verdict {
    PASS,
    /** They belong to a removed request that is not complete yet. */
    HOLD,
    /** They complete a removed request: its connection is to be reset. */
    RESET
  }

  /** Inspects arrived bytes; clients do not pipeline requests. */
  Verdict look(byte[] bytes, int length) {
    if (foreign) {
      return Verdict.PASS;
    }
    request.write(bytes, 0, length);
    if (wanted < 0 && !headersComplete()) {
      return taker != null && taker.takesOut() ? Verdict.HOLD : Verdict.PASS;
    }
    boolean out = taker != null && taker.takesOut();
    if (request.size() < wanted) {
      return out ? Verdict.HOLD : Verdict.PASS;
    }
    if (taker != null) {
      taker.take(request.toByteArray());
    }
    request.reset();
    wanted = -1;
    taker = null;
    decided = false;
    return out ? Verdict.RESET : Verdict.PASS;
  }

  private boolean headersComplete() {
    String text = request.toString(StandardCharsets.ISO_8859_1);
    if (!decided) {
      if (METHODS.stream().noneMatch(text::startsWith)) {
        foreign = true;
        return false;
      }
      int line = text.indexOf('\r');
      if (line < 0) {
        return false;
      }
      decided = true;
      taker = taker(text.substring(0, line));
    }
    int end = text.indexOf(HEADERS_END);
    if (end < 0) {
      return false;
    }
    wanted = end + HEADERS_END.length() + bodyLength(text.substring(0, end));
    return true;
  }

  private Interference taker(String line) {
    for (Interference one : interferences) {
      if (one.wants(line)) {
        return one;
      }
    }
    return null;
  }

  private static long bodyLength(String headers) {
    String lower = headers.toLowerCase(Locale.ROOT) + "\r\n";
    int at = lower.indexOf(LENGTH);
    if (at < 0) {
      return 0;
    }
    int from = at + LENGTH.length();
    return Long.parseLong(lower.substring(from, lower.indexOf('\r', from)).strip());
  }
}
