package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedEvent;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.RememberedKey;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.queuenode.session.store.SessionRow.EventRow;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionRow.SnapshotRow;
import io.millrace.queuenode.store.NewEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads what a sealed slot holds in parts, each of which can be read again. One thread. */
final class SlotExport {
  private static final int EVENTS = 1_000;

  // One event more, or instead of all one snapshot, is the most of a part. Texts may be twice as
  // long
  // with their escapes; its receiver takes that in one request.
  private static final long BYTES = 1 << 20;
  private static final long HASH_BYTES = 20;

  private final SessionRows rows;
  private final SlotSessions slot;
  private final String node;
  private final Sending sending;
  private final List<MovedSession> sessions = new ArrayList<>();
  private final List<RememberedKey> completed = new ArrayList<>();
  private int count;
  private long bytes;

  SlotExport(SessionRows rows, SlotSessions slot, String node, Sending sending) {
    this.rows = rows;
    this.slot = slot;
    this.node = node;
    this.sending = sending;
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
        slot.number(),
        slot.epoch(),
        node,
        sending,
        place.part,
        sessions,
        completed,
        next,
        contained);
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
      SnapshotRow snapshot = full() || from > 0 ? null : snapshot(session);
      if (full() || (count > 0 && snapshot != null && bytes + snapshot.json().length > BYTES)) {
        return place.token(session.serial(), 0);
      }
      long next = add(session, from, snapshot);
      if (next <= session.accepted()) {
        return place.token(session.serial(), next);
      }
      from = 0;
      session = slot.held().after(session);
    }
    return keys(new Place(place.part, -1, 0));
  }

  private SnapshotRow snapshot(Session session) {
    long seq = session.rare().snapshotSeq();
    return seq == 0 ? null : (SnapshotRow) rows.read(seq);
  }

  // The number of the next event. After a large snapshot that is the first one.
  private long add(Session session, long from, SnapshotRow snapshot) {
    boolean first = from == 0;
    long begin = first ? session.covered() + 1 : from;
    long end = Math.min(session.accepted(), begin + EVENTS - count - 1);
    bytes += snapshot == null ? 0 : snapshot.json().length;
    List<MovedEvent> events = new ArrayList<>();
    if (bytes < BYTES) {
      rows.read(
          session.seqs(
              (int) (begin - session.covered() - 1), (int) Math.max(0, end - session.covered())),
          each -> {
            EventRow row = (EventRow) each;
            events.add(moved(begin + events.size(), row));
            bytes += row.event().bytes();
            return bytes < BYTES;
          });
    }
    long[] earlier = first ? session.earlierHashes() : new long[0];
    count += events.size() + 1;
    bytes += session.key().length() + (session.parked() == null ? 0 : session.parked().length());
    bytes += HASH_BYTES * earlier.length;
    sessions.add(
        new MovedSession(
            session.key(),
            session.number(),
            session.assignedBefore(),
            session.openedAt(),
            session.accepted(),
            session.acknowledged(),
            snapshot == null ? null : SessionPolls.json(snapshot.json()),
            session.covered(),
            session.rare().failed(),
            session.rare().attempts(),
            session.parked(),
            session.ending() == null ? null : session.ending().name(),
            hashes(earlier),
            events));
    return begin + events.size();
  }

  private static MovedEvent moved(long n, EventRow row) {
    NewEvent event = row.event();
    return new MovedEvent(n, event.id(), row.storedAt(), event.attributes(), event.text());
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
              row.epoch(),
              row.events(),
              row.acknowledged(),
              row.outcome(),
              row.worker(),
              hashes(row.ids())));
      bytes += row.key().length() + HASH_BYTES * row.ids().length;
      bytes += row.worker() == null ? 0 : row.worker().length();
      at++;
    }
    if (at >= all.length) {
      return null;
    }
    return place.token(-1, at == 0 ? 0 : all[at - 1]);
  }
}
