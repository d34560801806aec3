package io.millrace.tests.pacing;

import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sends some events at once. */
final class Batches {
  private Batches() {}

  /** Sends that many batches of that many events; returns the events' ids. */
  static Set<String> send(QueueClient producer, String queue, int batches, int events) {
    return IntStream.range(0, batches)
        .mapToObj(number -> "b" + number)
        .peek(batch -> producer.send(queue, batch, EventMedia.LINES, body(events)))
        .flatMap(batch -> IntStream.range(0, events).mapToObj(n -> batch + "-" + n))
        .collect(Collectors.toSet());
  }

  /** A body of that many events, one per line. */
  static byte[] body(int events) {
    return IntStream.range(0, events)
        .mapToObj(n -> n + "\n")
        .collect(Collectors.joining())
        .getBytes(StandardCharsets.UTF_8);
  }
}
