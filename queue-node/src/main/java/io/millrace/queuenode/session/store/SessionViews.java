package io.millrace.queuenode.session.store;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.KeptEvent;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SlotTable;
import io.millrace.queuenode.session.store.SessionRow.EventRow;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionRow.SnapshotRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** Shows sessions and workers to operators. One thread. */
final class SessionViews {
  private static final int EVENTS = 1_000;
  private static final int LOOKED_AT = 50_000;

  /** Of completed sessions, whose rows are read from the log for a page. */
  private static final int ROWS_READ = 5_000;

  /** Of events that are read for a page, which say how old they are. */
  private static final long BYTES_READ = 8L << 20;

  /** Of JSON text of events and snapshot in one answer, which is read on the store's thread. */
  private static final int SHOWN_BYTES = 1 << 20;

  /** Of why a session is parked, in a list: a page of the longest must not be too large. */
  private static final int SHOWN_REASON = 200;

  private final SessionChanges changes;
  private final SessionRows rows;
  private final RememberedKeys keys;
  private final String node;

  SessionViews(SessionChanges changes, SessionRows rows, RememberedKeys keys, String node) {
    this.changes = changes;
    this.rows = rows;
    this.keys = keys;
    this.node = node;
  }

  /** The slot of a key; UNKNOWN_SESSION if nothing is known of it. */
  SlotSessions slot(QueueSessions queue, String key) {
    SlotSessions slot = queue == null ? null : queue.slot(SessionKey.slot(key));
    if (slot == null) {
      throw unknown(key);
    }
    return slot;
  }

  /** What is remembered of a key; UNKNOWN_SESSION for nothing. */
  RememberedRow remembered(SlotSessions slot, String key) {
    return keys.find(slot, key).orElseThrow(() -> unknown(key));
  }

  /** Says that a session cannot be changed any more. */
  MillraceException hasEnded(QueueSessions queue, RememberedRow row) {
    long ago = Math.max(0, changes.now() - row.completedAt());
    Duration left = queue.assignment().rules().remember().minusMillis(ago);
    return new MillraceException(
        ErrorCode.CONFLICT,
        "session '%1$s' of %2$s has ended (%3$s); its key is remembered for another %4$s, and 'millrace session drop %2$s %1$s' forgets it"
            .formatted(
                row.key(),
                queue.name(),
                row.outcome().toLowerCase(Locale.ROOT),
                Durations.format(Duration.ofMinutes(Math.max(1, left.toMinutes())))));
  }

  private static MillraceException unknown(String key) {
    return new MillraceException(
        ErrorCode.UNKNOWN_SESSION,
        "there is no session '" + key + "' on this node; list the sessions of the queue");
  }

  SessionPage list(QueueSessions queue, SessionState state, UUID worker, String after, int limit) {
    long[] place = place(after);
    List<SessionView> found = new ArrayList<>();
    int lookedAt = 0;
    long[] read = {0};
    for (int number = (int) place[0]; number < SlotTable.SLOTS; number++) {
      SlotSessions slot = queue.slot(number);
      if (slot == null) {
        continue;
      }
      long from = number == place[0] ? place[1] : 0;
      String next =
          state == SessionState.COMPLETED
              ? completed(slot, worker, from, limit, found, read)
              : open(slot, state, worker, from, limit, found, read);
      if (next != null) {
        return new SessionPage(found, next);
      }
      lookedAt += state == SessionState.COMPLETED ? 0 : slot.sessions().size();
      if (lookedAt > LOOKED_AT && number + 1 < SlotTable.SLOTS) {
        return new SessionPage(found, (number + 1) + "/0");
      }
    }
    return new SessionPage(found, null);
  }

  private static long[] place(String after) {
    if (after == null) {
      return new long[2];
    }
    try {
      int slash = after.indexOf('/');
      long slot = Long.parseLong(after.substring(0, Math.max(0, slash)));
      return new long[] {
        Math.max(0, Math.min(slot, SlotTable.SLOTS)), Long.parseLong(after.substring(slash + 1))
      };
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "'" + after + "' is not the next of any page", e);
    }
  }

  private String open(
      SlotSessions slot,
      SessionState state,
      UUID worker,
      long after,
      int limit,
      List<SessionView> found,
      long[] read) {
    List<Session> all = new ArrayList<>();
    slot.sessions()
        .forEach(
            session -> {
              boolean ofWorker =
                  worker == null
                      || (session.worker() != null && session.worker().id().equals(worker));
              if (session.serial() > after
                  && ofWorker
                  && (state == null || state(session) == state)) {
                all.add(session);
              }
            });
    all.sort(Comparator.comparingLong(Session::serial));
    long last = after;
    for (Session session : all) {
      if (found.size() >= limit || read[0] >= BYTES_READ) {
        return slot.number() + "/" + last;
      }
      found.add(view(session, SHOWN_REASON));
      read[0] += session.bytes() / Math.max(1, session.kept());
      last = session.serial();
    }
    return null;
  }

  private String completed(
      SlotSessions slot, UUID worker, long after, int limit, List<SessionView> found, long[] read) {
    long last = after;
    for (long seq : slot.remembered().rows()) {
      if (seq <= after) {
        continue;
      }
      if (found.size() >= limit || read[0] >= ROWS_READ) {
        return slot.number() + "/" + last;
      }
      RememberedRow row = (RememberedRow) rows.read(seq);
      read[0]++;
      if (worker == null || worker.toString().equals(row.worker())) {
        found.add(view(row));
      }
      last = seq;
    }
    return null;
  }

  private static SessionState state(Session session) {
    if (session.parked() != null) {
      return SessionState.PARKED;
    }
    return session.worker() == null ? SessionState.UNASSIGNED : SessionState.OPEN;
  }

  private SessionView view(Session session, int longestReason) {
    SessionWorker worker = session.worker();
    double age = 0;
    if (session.unacknowledged() > 0) {
      long n = Math.max(session.acknowledged(), session.covered()) + 1;
      age = age(((EventRow) rows.read(session.seqOf(n))).storedAt());
    }
    return new SessionView(
        session.key(),
        node,
        session.slot().number(),
        state(session),
        session.number(),
        worker == null ? null : worker.id(),
        worker == null ? null : worker.employment().name(),
        session.accepted(),
        session.acknowledged(),
        Instant.ofEpochMilli(session.openedAt()),
        Instant.ofEpochMilli(session.lastEventAt()),
        age,
        waitsFor(session, longestReason));
  }

  private SessionView view(RememberedRow row) {
    Instant at = Instant.ofEpochMilli(row.completedAt());
    return new SessionView(
        row.key(),
        node,
        row.slot(),
        SessionState.COMPLETED,
        row.number(),
        row.worker() == null ? null : UUID.fromString(row.worker()),
        null,
        row.events(),
        row.acknowledged(),
        null,
        at,
        0,
        null);
  }

  private double age(long storedAt) {
    return Math.max(0, changes.now() - storedAt) / 1000.0;
  }

  private static String waitsFor(Session session, int longestReason) {
    SlotSessions slot = session.slot();
    if (session.ending() != null && !(session.worker() == null && slot.blocked())) {
      return session.worker() == null
          ? "its end, which is due now"
          : "its worker to give it back; then it ends";
    }
    if (session.worker() != null && session.revoked()) {
      return session.parked() == null
          ? "its worker to give it back; then it goes to another"
          : ShownText.of(session.parked(), longestReason) + "; its worker is to give it back first";
    }
    if (session.worker() != null) {
      int most = session.queue().assignment().rules().maxPerKey();
      return session.kept() < most
          ? null
          : "full: %d of %d events kept".formatted(session.kept(), most);
    }
    if (session.parked() != null) {
      return ShownText.of(session.parked(), longestReason)
          + "; an operator must move, close or drop it";
    }
    if (slot.sealed()) {
      return "its slot is being given to another node";
    }
    if (slot.waits()) {
      List<String> missing = SlotImports.missing(slot);
      return missing.isEmpty()
          ? "what has arrived of its slot to be taken over"
          : "the events of " + String.join(", ", missing) + " to arrive";
    }
    if (slot.ownership().holding()) {
      return "the workers of the slot's earlier owner to have stopped";
    }
    return session.queue().assignment().employed().isEmpty()
        ? "a worker to register; see 'millrace queue explain " + session.queue().name() + "'"
        : "a worker with room";
  }

  /** A session without its events, which may be large; UNKNOWN_SESSION if there is none. */
  SessionView view(QueueSessions queue, String key) {
    SlotSessions slot = slot(queue, key);
    Session session = slot.sessions().get(key);
    return session == null ? view(remembered(slot, key)) : view(session, Integer.MAX_VALUE);
  }

  SessionDetails show(QueueSessions queue, String key) {
    SlotSessions slot = slot(queue, key);
    Session session = slot.sessions().get(key);
    List<SessionMoment> history = new ArrayList<>(changes.history().of(queue, key));
    if (session == null) {
      RememberedRow row = remembered(slot, key);
      SessionView ended = view(row);
      history.add(
          new SessionMoment(
              ended.lastEventAt(), row.outcome(), row.number(), ended.worker(), null));
      return new SessionDetails(ended, history);
    }
    byte[] snapshot = snapshot(session);
    boolean shown = snapshot.length > 0 && snapshot.length <= SHOWN_BYTES;
    List<KeptEvent> events = events(session, SHOWN_BYTES - (shown ? snapshot.length : 0));
    return new SessionDetails(
        view(session, Integer.MAX_VALUE),
        events,
        session.kept() - events.size(),
        shown ? SessionPolls.json(snapshot) : null,
        session.covered(),
        snapshot.length,
        history);
  }

  private byte[] snapshot(Session session) {
    long seq = session.rare().snapshotSeq();
    return seq == 0 ? new byte[0] : ((SnapshotRow) rows.read(seq)).json();
  }

  // The first one in any case: what parks a session is to be seen.
  private List<KeptEvent> events(Session session, int most) {
    List<KeptEvent> events = new ArrayList<>();
    int[] bytes = {0};
    rows.read(
        session.seqs(0, Math.min(EVENTS, session.kept())),
        row -> {
          KeptEvent event = event(session, session.covered() + 1 + events.size(), (EventRow) row);
          // As it is sent: its attributes are longer then.
          bytes[0] += Json.writeBytes(event).length;
          return (events.isEmpty() || bytes[0] <= most) && events.add(event);
        });
    return events;
  }

  private static KeptEvent event(Session session, long n, EventRow row) {
    String state = n <= session.delivered() ? "DELIVERED" : "WAITING";
    return new KeptEvent(
        n,
        row.event().id(),
        Instant.ofEpochMilli(row.storedAt()),
        n <= session.acknowledged() ? "ACKNOWLEDGED" : state,
        row.event().attributes(),
        SessionPolls.json(row.event().data()));
  }

  List<SessionWorkerView> workers(QueueSessions queue) {
    long now = changes.nanos();
    Duration heartbeat = queue.assignment().rules().heartbeat();
    List<SessionWorkerView> views = new ArrayList<>();
    List<SessionWorker> workers = new ArrayList<>(queue.assignment().workers());
    workers.sort(Comparator.comparingLong(SessionWorker::order));
    for (SessionWorker worker : workers) {
      Session oldest = worker.delivered().first();
      views.add(
          new SessionWorkerView(
              worker.id(),
              worker.employment().name(),
              node,
              queue.name(),
              worker.state(),
              worker.employment().job(),
              worker.size(),
              queue.assignment().cap(worker),
              worker.silence(now) / 1e9,
              worker.employed() ? worker.missed(now, heartbeat.toNanos()) : 0,
              oldest == null ? 0 : (now - oldest.deliveredAt()) / 1e9,
              worker.reported(),
              worker.leaving()));
    }
    return views;
  }
}
