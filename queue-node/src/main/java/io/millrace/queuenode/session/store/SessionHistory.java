package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionView.SessionMoment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What has happened to some sessions that were given back: most never are. Of the process only; the
 * last ten thousand sessions are kept, fewer if their reasons are long. One thread.
 */
final class SessionHistory {
  private static final int SESSIONS = 10_000;
  private static final int MOMENTS = 20;

  /** The most characters of reasons. */
  private static final long CHARACTERS = 4L << 20;

  private record Noted(long serial, SessionMoment moment) {}

  // The session that was noted first is the first.
  private final Map<Long, List<SessionMoment>> moments = new LinkedHashMap<>();
  private long characters;
  private final List<Noted> noted = new ArrayList<>();

  /** Notes what this transaction does with a session. */
  void note(Session session, long at, String what, SessionWorker worker, String reason) {
    noted.add(
        new Noted(
            session.serial(),
            new SessionMoment(
                Instant.ofEpochMilli(at),
                what,
                session.number(),
                worker == null ? null : worker.id(),
                reason)));
  }

  /** What happened to a session, the earliest first. */
  List<SessionMoment> of(Session session) {
    return List.copyOf(moments.getOrDefault(session.serial(), List.of()));
  }

  /** How many sessions have moments. */
  int size() {
    return moments.size();
  }

  void commit() {
    for (Noted one : noted) {
      List<SessionMoment> all = moments.computeIfAbsent(one.serial, none -> new ArrayList<>());
      all.add(one.moment);
      characters += length(one.moment);
      if (all.size() > MOMENTS) {
        characters -= length(all.remove(0));
      }
    }
    noted.clear();
    Iterator<List<SessionMoment>> eldest = moments.values().iterator();
    for (int left = moments.size(); left > SESSIONS || characters > CHARACTERS; left--) {
      eldest.next().forEach(moment -> characters -= length(moment));
      eldest.remove();
    }
  }

  private static int length(SessionMoment moment) {
    return moment.reason() == null ? 0 : moment.reason().length();
  }

  void rollback() {
    noted.clear();
  }
}
