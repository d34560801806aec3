package io.millrace.cli.server;

import io.millrace.api.Json;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/**
 * Walks through one queue's events in the order of the day; the events of a slot are spread evenly
 * over it. Not thread-safe.
 */
final class EventCursor {
  private static final DateTimeFormatter MINUTE = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm");

  private final DemoDay day;
  private final DemoQueue queue;
  private int slot;
  private int inSlot;
  private long number = 1;

  EventCursor(DemoDay day, DemoQueue queue) {
    this.day = day;
    this.queue = queue;
    settle();
  }

  boolean atEnd() {
    return slot == queue.counts().size();
  }

  /** When the next event comes, in seconds from the day's start. */
  double dueSeconds() {
    double length = DemoDay.SLOT.toSeconds();
    return slot * length + inSlot * length / queue.counts().get(slot);
  }

  /** The next event's number, from 1. */
  long number() {
    return number;
  }

  /** The next event as an envelope line. */
  String line() {
    long minute = inSlot * DemoDay.SLOT.toMinutes() / queue.counts().get(slot);
    LocalDateTime at = day.start().plus(DemoDay.SLOT.multipliedBy(slot)).plusMinutes(minute);
    return "{\"id\":\""
        + queue.id(number)
        + "\",\"data\":"
        + Json.write(Map.of("symbol", queue.symbol(), "minute", MINUTE.format(at)))
        + "}\n";
  }

  void advance() {
    number++;
    inSlot++;
    settle();
  }

  /** Passes over events that were sent in an earlier life. */
  void skip(long events) {
    for (long i = 0; i < events && !atEnd(); i++) {
      advance();
    }
  }

  private void settle() {
    while (!atEnd() && inSlot >= queue.counts().get(slot)) {
      slot++;
      inSlot = 0;
    }
  }
}
