package io.millrace.loadbalancer.forward;

import java.util.Locale;

/**
 * Events on their way: sent under one name wherever they go, so that a repetition is recognised and
 * event ids stay the same.
 *
 * @param queue the queue
 * @param name the batch's name
 * @param repeatable whether the producer knows the name and may send the batch again under it
 * @param mediaType as received
 * @param query what the producer asks for all events, as {@code ?delay=10s&priority=3}; empty for
 *     nothing
 * @param body as received; never changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per batch would cost
public record Batch(
    String queue, String name, boolean repeatable, String mediaType, String query, byte[] body) {
  /** A part of this batch, with its number in its name. */
  public Batch part(int number, byte[] piece) {
    String partName = String.format(Locale.ROOT, "%s/%04d", name, number);
    return new Batch(queue, partName, true, mediaType, query, piece);
  }

  /** This batch with its body. */
  public Batch of(byte[] whole) {
    return new Batch(queue, name, repeatable, mediaType, query, whole);
  }
}
