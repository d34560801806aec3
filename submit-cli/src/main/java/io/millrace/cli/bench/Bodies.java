package io.millrace.cli.bench;

import java.nio.charset.StandardCharsets;

/** Makes events of a fixed size that tell their number and the time before they were put. */
final class Bodies {
  // Numbers of a fixed length, so that every event has the same size.
  private static final long FIRST = 1_000_000_000_000_000_000L;

  private final String rest;

  Bodies(int payload) {
    int beside = "{\"n\":,\"t\":,\"p\":\"\"}".length() + 2 * 19;
    this.rest = ",\"p\":\"" + "x".repeat(Math.max(0, payload - beside)) + "\"}\n";
  }

  byte[] lines(long first, int count, long nowNanos) {
    StringBuilder lines = new StringBuilder(count * (rest.length() + 60));
    for (long number = first; number < first + count; number++) {
      lines.append("{\"n\":").append(FIRST + number).append(",\"t\":").append(nowNanos);
      lines.append(rest);
    }
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }

  static long number(BenchClient.Numbered event) {
    return event.number() - FIRST;
  }
}
