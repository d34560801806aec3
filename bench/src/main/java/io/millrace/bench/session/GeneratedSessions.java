package io.millrace.bench.session;

import io.millrace.api.event.EventMedia;
import io.millrace.bench.session.SessionCalls.DeliveredEvent;
import java.util.concurrent.atomic.AtomicInteger;

/** Sessions of the same number of events of the same size. */
final class GeneratedSessions implements SessionSource {
  /** Where a producer writes the place of an event in its session. */
  static final String PLACE = "i";

  // Numbers of a fixed length, so that every event has nearly the same size.
  private static final int FIRST = 1_000_000_000;

  private final String prefix;
  private final int sessions;
  private final int length;
  private final boolean completed;
  private final String rest;
  private final AtomicInteger next = new AtomicInteger();

  /**
   * Sessions with the keys {@code prefix-1000000000} and so on.
   *
   * @param length events of each
   * @param completed whether they end with the last one
   * @param payload bytes of each event's data
   */
  GeneratedSessions(String prefix, int sessions, int length, boolean completed, int payload) {
    this.prefix = prefix + "-";
    this.sessions = sessions;
    this.length = length;
    this.completed = completed;
    int overhead =
        "{\"k\":\"\",\"i\":,\"t\":,\"p\":\"\"}".length() + this.prefix.length() + 10 + 2 + 16;
    this.rest = ",\"p\":\"" + "x".repeat(Math.max(0, payload - overhead)) + "\"}";
  }

  @Override
  public int sessions() {
    return sessions;
  }

  @Override
  public long events() {
    return (long) sessions * length;
  }

  @Override
  public int completions() {
    return completed ? sessions : 0;
  }

  @Override
  public SentSession take() {
    int number = next.getAndIncrement();
    return number >= sessions ? null : new SentSession(prefix + (FIRST + number), length);
  }

  @Override
  public int length(String key) {
    return completed ? length : 0;
  }

  @Override
  public String mediaType() {
    return EventMedia.LINES;
  }

  @Override
  public void write(StringBuilder lines, String key, int place, long nowNanos) {
    lines.append("{\"k\":\"").append(key).append("\",\"").append(PLACE).append("\":").append(place);
    lines.append(",\"t\":").append(nowNanos).append(rest).append('\n');
  }

  @Override
  public String id(String key, int place, String batch, int index) {
    return batch + "-" + index;
  }

  @Override
  public String data(String key, int place) {
    StringBuilder line = new StringBuilder(rest.length() + 80);
    write(line, key, place, 0);
    return line.substring(0, line.length() - 1);
  }

  @Override
  public long place(String key, DeliveredEvent event) {
    return key.startsWith(prefix) ? event.place() : 0;
  }
}
