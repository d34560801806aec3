package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What has happened to some sessions, by their keys: of those that were given back or that an
 * operator changed, which most never are, and of the last ones that got their first worker. Of the
 * process only; of the last ten thousand sessions, fewer if the reasons are long. One thread.
 */
final class SessionHistory {
  private static final int SESSIONS = 10_000;
  private static final int MOMENTS = 20;

  /** The most characters of reasons. */
  private static final long CHARACTERS = 4L << 20;

  private record Noted(String session, SessionMoment moment, boolean first) {}

  // The session that was noted first is the first.
  private final Map<String, List<SessionMoment>> moments = new LinkedHashMap<>();
  // Beside the others, so that the many sessions without any other do not displace them.
  private final Map<String, SessionMoment> firsts = new LinkedHashMap<>();
  private long characters;
  private final List<Noted> noted = new ArrayList<>();

  /** Notes what this transaction does with a session. */
  void note(Session session, long at, String what, SessionWorker worker, String reason) {
    note(session, new Happening(at, what, worker, reason), false);
  }

  /** Notes that a session has got its first worker. */
  void noteFirst(Session session, long at, SessionWorker worker) {
    note(session, new Happening(at, "ASSIGNED", worker, null), true);
  }

  /** Notes that an operator has a key forgotten whose session had ended. */
  void noteDropped(QueueSessions queue, RememberedRow row, long at, String reason) {
    Instant when = Instant.ofEpochMilli(at);
    SessionMoment moment = new SessionMoment(when, "DROPPED", row.number(), null, reason);
    noted.add(new Noted(name(queue, row.key()), moment, false));
  }

  private record Happening(long at, String what, SessionWorker worker, String reason) {}

  private void note(Session session, Happening one, boolean first) {
    SessionMoment moment =
        new SessionMoment(
            Instant.ofEpochMilli(one.at),
            one.what,
            session.number(),
            one.worker == null ? null : one.worker.id(),
            one.reason);
    noted.add(new Noted(name(session.queue(), session.key()), moment, first));
  }

  private static String name(QueueSessions queue, String key) {
    return queue.number() + "/" + key;
  }

  /** What happened to the sessions of a key, the earliest first. */
  List<SessionMoment> of(QueueSessions queue, String key) {
    String name = name(queue, key);
    SessionMoment first = firsts.get(name);
    return List.copyOf(moments.getOrDefault(name, first == null ? List.of() : List.of(first)));
  }

  /** How many sessions have moments. */
  int size() {
    return moments.size();
  }

  void commit() {
    for (Noted one : noted) {
      if (one.first && !moments.containsKey(one.session)) {
        firsts.put(one.session, one.moment);
      } else {
        add(one);
      }
    }
    noted.clear();
    Iterator<List<SessionMoment>> eldest = moments.values().iterator();
    for (int left = moments.size(); left > SESSIONS || characters > CHARACTERS; left--) {
      eldest.next().forEach(moment -> characters -= length(moment));
      eldest.remove();
    }
    while (firsts.size() > SESSIONS) {
      firsts.remove(firsts.keySet().iterator().next());
    }
  }

  private static int length(SessionMoment moment) {
    return moment.reason() == null ? 0 : moment.reason().length();
  }

  private void add(Noted one) {
    List<SessionMoment> all = moments.computeIfAbsent(one.session, none -> new ArrayList<>());
    SessionMoment first = firsts.remove(one.session);
    if (first != null) {
      all.add(first);
    }
    all.add(one.moment);
    characters += length(one.moment);
    while (all.size() > MOMENTS) {
      characters -= length(all.remove(0));
    }
  }

  void rollback() {
    noted.clear();
  }
}
