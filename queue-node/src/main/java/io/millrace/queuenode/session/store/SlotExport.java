package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedEvent;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.RememberedKey;
import io.millrace.queuenode.session.store.SessionRow.EventRow;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionRow.SnapshotRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads what a sealed slot holds in parts, each of which can be read again. One thread. */
final class SlotExport {
  private static final int EVENTS = 1_000;
  private static final long BYTES = 1 << 20;

  private final SessionRows rows;
  private final SlotSessions slot;
  private final String node;
  private final List<MovedSession> sessions = new ArrayList<>();
  private final List<RememberedKey> completed = new ArrayList<>();
  private int count;
  private long bytes;

  SlotExport(SessionRows rows, SlotSessions slot, String node) {
    this.rows = rows;
    this.slot = slot;
    this.node = node;
  }

  /**
   * Where a part begins: with an event of a session, or after a remembered key.
   *
   * @param serial of the session; 0 for the first one, -1 if all sessions are in earlier parts
   * @param place the event's number, or the row of the last key
   */
  private record Place(int part, long serial, long place) {
    static Place of(String token) {
      if (token == null) {
        return new Place(0, 0, 0);
      }
      try {
        String[] parts = token.split("/", 3);
        return new Place(
            Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
      } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "'" + token + "' is not the next of any part of a slot", e);
      }
    }

    String token(long nextSerial, long nextPlace) {
      return (part + 1) + "/" + nextSerial + "/" + nextPlace;
    }
  }

  /** The part after the one with this {@code next}. */
  SlotPage page(String after) {
    Place place = Place.of(after);
    String next = place.serial < 0 ? keys(place) : sessions(place);
    // What this node held under earlier epochs is noted without its name.
    List<String> contained =
        slot.drained().stream()
            .map(holding -> holding.startsWith("/") ? node + holding : holding)
            .toList();
    return new SlotPage(
        slot.number(), slot.epoch(), node, place.part, sessions, completed, next, contained);
  }

  private boolean full() {
    return count >= EVENTS || bytes >= BYTES;
  }

  private String sessions(Place place) {
    Session session = slot.held().first();
    while (session != null && place.serial != 0 && session.serial() != place.serial) {
      session = slot.held().after(session);
    }
    long from = place.place;
    while (session != null) {
      if (full()) {
        return place.token(session.serial(), 0);
      }
      long next = add(session, from);
      if (next <= session.accepted()) {
        return place.token(session.serial(), next);
      }
      from = 0;
      session = slot.held().after(session);
    }
    return keys(new Place(place.part, -1, 0));
  }

  // The number of the next event.
  private long add(Session session, long from) {
    boolean first = from == 0;
    long n = first ? session.covered() + 1 : from;
    long end = Math.min(session.accepted(), n + EVENTS - count - 1);
    List<MovedEvent> events = new ArrayList<>();
    SessionRow[] read =
        rows.read(
            session.seqs(
                (int) (n - session.covered() - 1), (int) Math.max(0, end - session.covered())));
    for (SessionRow each : read) {
      if (bytes >= BYTES) {
        break;
      }
      EventRow row = (EventRow) each;
      events.add(
          new MovedEvent(
              n++, row.event().id(), row.storedAt(), row.event().attributes(), row.event().text()));
      count++;
      bytes += row.event().bytes();
    }
    count++;
    SnapshotRow snapshot = null;
    if (first && session.rare().snapshotSeq() != 0) {
      snapshot = (SnapshotRow) rows.read(session.rare().snapshotSeq());
      bytes += snapshot.json().length;
    }
    sessions.add(
        new MovedSession(
            session.key(),
            session.number(),
            session.openedAt(),
            session.accepted(),
            session.acknowledged(),
            snapshot == null ? null : SessionPolls.json(snapshot.json()),
            session.covered(),
            session.attempts(),
            session.parked(),
            first ? hashes(session.earlierHashes()) : List.of(),
            events));
    return n;
  }

  static List<Long> hashes(long[] hashes) {
    return Arrays.stream(hashes).boxed().toList();
  }

  private String keys(Place place) {
    long[] all = slot.remembered().rows();
    int first = Arrays.binarySearch(all, place.place);
    int at = first < 0 ? -first - 1 : first + 1;
    long[] some =
        Arrays.copyOfRange(all, at, Math.min(all.length, at + Math.max(0, EVENTS - count)));
    for (SessionRow each : rows.read(some)) {
      if (bytes >= BYTES) {
        break;
      }
      RememberedRow row = (RememberedRow) each;
      completed.add(
          new RememberedKey(
              row.key(),
              row.number(),
              row.completedAt(),
              row.events(),
              row.acknowledged(),
              row.outcome(),
              row.worker(),
              hashes(row.ids())));
      bytes += row.key().length() + 20L * row.ids().length;
      at++;
    }
    if (at >= all.length) {
      return null;
    }
    return place.token(-1, at == 0 ? 0 : all[at - 1]);
  }
}
