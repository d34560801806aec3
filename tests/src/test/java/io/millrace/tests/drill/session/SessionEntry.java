package io.millrace.tests.drill.session;

import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import java.util.Locale;

/**
 * One line of a journal of sessions: words separated by blanks, the first of which names the record
 * and the second the time in seconds since boot, the clock of the faults' timeline. Each record has
 * the order of its words.
 */
sealed interface SessionEntry {
  /** Seconds since boot. */
  double at();

  /** The key of the session. */
  String key();

  /** What a producer sends an event as. */
  enum Purpose {
    /** One of the session's events. */
    EVENT,
    /** The one that the producer considers to be the session's last one. */
    LAST,
    /** A new event after the last one: refused if the session has ended. */
    LATE,
    /** An event that was settled before. */
    DUPLICATE
  }

  /** How an event was settled. */
  enum Settlement {
    ACCEPTED,
    /** Refused, as the session of its key has ended. */
    DUPLICATE,
    /** No answer that settles it came before the producer was stopped. */
    UNKNOWN
  }

  /** A producer is about to send an event for the first time, after those that it sent before. */
  record Offered(double at, String producer, String key, String id, Purpose purpose)
      implements SessionEntry {}

  /** The last answer for an event. */
  record Settled(
      double at, String producer, String key, String id, Purpose purpose, Settlement outcome)
      implements SessionEntry {}

  /**
   * A worker got a session.
   *
   * @param from the first event that it gets under the number
   */
  record Received(double at, JournalWorker worker, String key, SessionNumber number, long from)
      implements SessionEntry {}

  /** A worker begins to handle an event. */
  record Begun(double at, JournalWorker worker, String key, SessionNumber number, long n, String id)
      implements SessionEntry {}

  /** A worker has handled an event. */
  record Ended(double at, JournalWorker worker, String key, SessionNumber number, long n)
      implements SessionEntry {}

  /** A worker is about to send a result for the first time. */
  record Sent(
      double at,
      JournalWorker worker,
      String key,
      SessionNumber number,
      long through,
      ResultKind kind)
      implements SessionEntry {}

  /**
   * A worker's result was answered.
   *
   * @param sentAt when it was sent for the first time
   */
  record Answered(
      double at,
      JournalWorker worker,
      String key,
      SessionNumber number,
      long through,
      ResultKind kind,
      double sentAt,
      ResultOutcome outcome)
      implements SessionEntry {
    /** Whether the node has noted the result. */
    boolean accepted() {
      return outcome == ResultOutcome.DONE || outcome == ResultOutcome.CONTINUES;
    }

    /** Whether the session has ended with it. */
    boolean completes() {
      return kind == ResultKind.COMPLETED && outcome == ResultOutcome.DONE;
    }
  }

  /** A worker gives up a session: its deadline has passed, or the node says so. */
  record Abandoned(double at, JournalWorker worker, String key, SessionNumber number, String reason)
      implements SessionEntry {}

  /** The line, without its end. */
  default String line() {
    if (this instanceof Offered one) {
      return words("offered", one.at, one.producer, one.key, one.id, one.purpose);
    } else if (this instanceof Settled one) {
      return words("settled", one.at, one.producer, one.key, one.id, one.purpose, one.outcome);
    } else if (this instanceof Received one) {
      return words("received", one.at, one.worker, one.key, one.number, one.from);
    } else if (this instanceof Begun one) {
      return words("begun", one.at, one.worker, one.key, one.number, one.n, one.id);
    } else if (this instanceof Ended one) {
      return words("ended", one.at, one.worker, one.key, one.number, one.n);
    } else if (this instanceof Sent one) {
      return words("sent", one.at, one.worker, one.key, one.number, one.through, one.kind);
    } else if (this instanceof Answered one) {
      return words(
          "answered",
          one.at,
          one.worker,
          one.key,
          one.number,
          one.through,
          one.kind,
          seconds(one.sentAt),
          one.outcome);
    } else if (this instanceof Abandoned one) {
      return words("abandoned", one.at, one.worker, one.key, one.number, one.reason);
    }
    throw new IllegalStateException("not an entry: " + this);
  }

  private static String words(String name, double at, Object... rest) {
    StringBuilder line = new StringBuilder(name).append(' ').append(seconds(at));
    for (Object word : rest) {
      line.append(' ').append(word);
    }
    return line.toString();
  }

  private static String seconds(double at) {
    return String.format(Locale.ROOT, "%.2f", at);
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException for an unknown one
   */
  static SessionEntry parse(String line) {
    String[] words = line.split(" ", -1);
    double at = Double.parseDouble(words[1]);
    return switch (words[0]) {
      case "offered" -> new Offered(at, words[2], words[3], words[4], Purpose.valueOf(words[5]));
      case "settled" ->
          new Settled(
              at,
              words[2],
              words[3],
              words[4],
              Purpose.valueOf(words[5]),
              Settlement.valueOf(words[6]));
      default -> ofWorker(words, at, JournalWorker.parse(words[2]), SessionNumber.of(words[4]));
    };
  }

  private static SessionEntry ofWorker(
      String[] words, double at, JournalWorker worker, SessionNumber number) {
    String key = words[3];
    return switch (words[0]) {
      case "received" -> new Received(at, worker, key, number, Long.parseLong(words[5]));
      case "begun" -> new Begun(at, worker, key, number, Long.parseLong(words[5]), words[6]);
      case "ended" -> new Ended(at, worker, key, number, Long.parseLong(words[5]));
      case "sent" ->
          new Sent(at, worker, key, number, Long.parseLong(words[5]), ResultKind.valueOf(words[6]));
      case "answered" ->
          new Answered(
              at,
              worker,
              key,
              number,
              Long.parseLong(words[5]),
              ResultKind.valueOf(words[6]),
              Double.parseDouble(words[7]),
              ResultOutcome.valueOf(words[8]));
      case "abandoned" -> new Abandoned(at, worker, key, number, words[5]);
      default -> throw new IllegalArgumentException("not a line of a journal: " + words[0]);
    };
  }
}
