package io.millrace.tests.drill.session;

import io.millrace.api.session.SessionNumber;
import io.millrace.tests.drill.session.SessionEntry.Abandoned;
import io.millrace.tests.drill.session.SessionEntry.Answered;
import io.millrace.tests.drill.session.SessionEntry.Begun;
import io.millrace.tests.drill.session.SessionEntry.Ended;
import io.millrace.tests.drill.session.SessionEntry.Offered;
import io.millrace.tests.drill.session.SessionEntry.Purpose;
import io.millrace.tests.drill.session.SessionEntry.Received;
import io.millrace.tests.drill.session.SessionEntry.Sent;
import io.millrace.tests.drill.session.SessionEntry.Settled;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The entries of one session, sorted by what they say. Not thread-safe; filled once. */
final class KeyJournal {
  private final String key;
  private final Map<String, Offered> offered = new LinkedHashMap<>();
  private final Map<String, Settled> settled = new LinkedHashMap<>();
  private final List<Settled> again = new ArrayList<>();
  private final Map<Holding, List<Begun>> begun = new TreeMap<>();
  private final Map<Holding, List<Received>> received = new TreeMap<>();
  private final List<Ended> ended = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final List<Answered> answered = new ArrayList<>();

  KeyJournal(String key) {
    this.key = key;
  }

  /** One worker with one number. */
  record Holding(SessionNumber number, JournalWorker worker) implements Comparable<Holding> {
    @Override
    public int compareTo(Holding other) {
      return Comparator.comparing(Holding::number)
          .thenComparing(holding -> holding.worker().toString())
          .compare(this, other);
    }

    @Override
    public String toString() {
      return worker + " under " + number;
    }
  }

  void add(SessionEntry entry) {
    if (entry instanceof Offered one) {
      if (one.purpose() != Purpose.DUPLICATE) {
        offered.putIfAbsent(one.id(), one);
      }
    } else if (entry instanceof Settled one) {
      if (one.purpose() == Purpose.DUPLICATE) {
        again.add(one);
      } else {
        settled.put(one.id(), one);
      }
    } else if (entry instanceof Received one) {
      received
          .computeIfAbsent(new Holding(one.number(), one.worker()), holding -> new ArrayList<>())
          .add(one);
    } else if (entry instanceof Begun one) {
      begun
          .computeIfAbsent(new Holding(one.number(), one.worker()), holding -> new ArrayList<>())
          .add(one);
    } else if (entry instanceof Ended one) {
      ended.add(one);
    } else if (entry instanceof Sent one) {
      sent.add(one);
    } else if (entry instanceof Answered one) {
      answered.add(one);
    } else if (!(entry instanceof Abandoned)) {
      throw new IllegalArgumentException("not an entry: " + entry);
    }
  }

  String key() {
    return key;
  }

  /** By id, in the order in which they were sent for the first time. */
  Map<String, Offered> offered() {
    return offered;
  }

  /** The last answer of each event, by id, without those sent again. */
  Map<String, Settled> settled() {
    return settled;
  }

  /** Of events that were sent again after they were settled. */
  List<Settled> again() {
    return again;
  }

  /** In the order of the numbers, each worker's in its own order. */
  Map<Holding, List<Begun>> begun() {
    return begun;
  }

  /** In the order of the numbers; more than one of a worker if it was delivered again. */
  Map<Holding, List<Received>> received() {
    return received;
  }

  List<Ended> ended() {
    return ended;
  }

  List<Sent> sent() {
    return sent;
  }

  List<Answered> answered() {
    return answered;
  }
}
