package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionView.SessionMoment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What has happened to some sessions that were given back: most never are. Of the process only; the
 * last ten thousand sessions are kept. One thread.
 */
final class SessionHistory {
  private static final int SESSIONS = 10_000;
  private static final int MOMENTS = 20;

  private record Noted(long serial, SessionMoment moment) {}

  private final Map<Long, List<SessionMoment>> moments =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, List<SessionMoment>> eldest) {
          return size() > SESSIONS;
        }
      };
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

  void commit() {
    for (Noted one : noted) {
      List<SessionMoment> all = moments.computeIfAbsent(one.serial, none -> new ArrayList<>());
      all.add(one.moment);
      if (all.size() > MOMENTS) {
        all.remove(0);
      }
    }
    noted.clear();
  }

  void rollback() {
    noted.clear();
  }
}
