package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.platform.event.SentEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** An event on its way to the owner of its key's slot. Used by one thread at a time. */
final class RoutedEvent {
  private static final byte[] ID = ascii("{\"id\":");
  private static final byte[] DATA = ascii(",\"data\":");
  private static final byte[] ATTRIBUTES = ascii(",\"attributes\":");
  private static final byte[] EPOCH = ascii(",\"slotEpoch\":");
  private static final byte[] END = ascii("}\n");

  private final int index;
  private final SentEvent sent;
  private final String key;
  private final int slot;
  private boolean stored;
  private MillraceException refusal;
  private MillraceException trouble;
  private int tries;
  private int unknown;
  private long since;

  /**
   * An event that was not sent yet.
   *
   * @param index its place in the batch as the producer sent it
   */
  RoutedEvent(int index, SentEvent sent, String key, int slot) {
    this.index = index;
    this.sent = sent;
    this.key = key;
    this.slot = slot;
  }

  /** Its place in the batch as the producer sent it. */
  int index() {
    return index;
  }

  String id() {
    return sent.id();
  }

  String key() {
    return key;
  }

  int slot() {
    return slot;
  }

  /** Its node has it. */
  void stored() {
    stored = true;
  }

  boolean isStored() {
    return stored;
  }

  /** Its node refuses it finally. */
  void refused(MillraceException problem) {
    refusal = problem;
  }

  /** Why it is refused finally; null if it is not. */
  MillraceException refusal() {
    return refusal;
  }

  /** It is to be sent again; nothing is known to be stored of it. */
  void failed(MillraceException problem, long now) {
    if (tries == 0) {
      since = now;
    }
    tries++;
    trouble = problem;
  }

  /** It is to be sent again; it may be stored. */
  void unanswered(MillraceException problem, long now) {
    unknown++;
    failed(problem, now);
  }

  /** How often it was to be sent again. */
  int tries() {
    return tries;
  }

  /** How often its outcome was unknown. */
  int unknown() {
    return unknown;
  }

  /** Monotonic nanoseconds of the first failure. */
  long since() {
    return since;
  }

  /** Whether the last node said that it does not have the slot. */
  boolean isStale() {
    return trouble != null && trouble.code() == ErrorCode.STALE_SLOT;
  }

  /** Why it is not stored after all attempts, as the producer is told. */
  MillraceException givenUp() {
    if (unknown > 0) {
      return new MillraceException(
          ErrorCode.TIMEOUT,
          "the event may be stored; send the same batch again: " + trouble.getMessage(),
          trouble);
    }
    return switch (trouble.code()) {
      case STALE_SLOT ->
          new MillraceException(
              ErrorCode.UNAVAILABLE,
              "the sessions of the event's key are being moved to another queue node; send the same"
                  + " batch again: "
                  + trouble.getMessage(),
              trouble);
      case UNKNOWN_QUEUE, UNKNOWN_SEGMENT ->
          new MillraceException(ErrorCode.NO_SEGMENT, trouble.getMessage(), trouble);
      default -> trouble;
    };
  }

  RefusedEvent refusedAs(ErrorCode code, String message) {
    return new RefusedEvent(index, sent.id(), key, code, message);
  }

  /** Writes it as a line for the owner of its slot under this epoch. */
  void writeTo(ByteArrayOutputStream body, long epoch) {
    body.writeBytes(ID);
    body.writeBytes(quoted(sent.id()));
    body.writeBytes(DATA);
    body.writeBytes(sent.data());
    if (sent.attributesText() != null) {
      body.writeBytes(ATTRIBUTES);
      body.writeBytes(sent.attributesText().getBytes(StandardCharsets.UTF_8));
    }
    body.writeBytes(EPOCH);
    body.writeBytes(ascii(Long.toString(epoch)));
    body.writeBytes(END);
  }

  /** An id as JSON; nearly all are plain, for which a writer would cost more than the rest. */
  private static byte[] quoted(String id) {
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return Json.writeBytes(id);
      }
    }
    return ascii('"' + id + '"');
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
