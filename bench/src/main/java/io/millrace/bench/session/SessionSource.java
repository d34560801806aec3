package io.millrace.bench.session;

import io.millrace.bench.session.SessionCalls.DeliveredEvent;

/** The sessions that a benchmark sends, each to be taken by one producer. Thread-safe. */
interface SessionSource {
  /** All sessions. */
  int sessions();

  /** All events. */
  long events();

  /** Sessions that their workers complete. */
  int completions();

  /** A session that no producer has taken; null if there are no more. */
  SentSession take();

  /** The number of events of a session, with the last of which it is completed; 0 for never. */
  int length(String key);

  /** The media type of what {@link #write} writes. */
  String mediaType();

  /**
   * Writes the line of an event.
   *
   * @param place from 1
   */
  void write(StringBuilder lines, String key, int place, long nowNanos);

  /**
   * The id that an event got.
   *
   * @param index of the event in its batch
   */
  String id(String key, int place, String batch, int index);

  /** The data of an event, as JSON. */
  String data(String key, int place);

  /** The place that an event has by what the producer knows of it; 0 if it is not one of these. */
  long place(String key, DeliveredEvent event);

  /** A session of which some events are sent. Belongs to one thread. */
  final class SentSession {
    private final String key;
    private final int length;
    private int sent;
    private String lastId;

    SentSession(String key, int length) {
      this.key = key;
      this.length = length;
    }

    String key() {
      return key;
    }

    int sent() {
      return sent;
    }

    /** The id of the event that was sent last; null for none. */
    String lastId() {
      return lastId;
    }

    boolean complete() {
      return sent == length;
    }

    /** Counts an event as sent, and returns its place. */
    int next() {
      return ++sent;
    }

    void stored(String id) {
      lastId = id;
    }
  }
}
