package io.millrace.queuenode.session.store;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedEvent;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.RememberedKey;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable;
import io.millrace.platform.event.SentEvent;
import io.millrace.queuenode.store.NewEvent;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges a part of a slot before it is stored: whether it can come from {@link SlotExport} at all.
 * What it lets pass can be stored, opened again and delivered. Only reads what it is given.
 */
public final class SlotPageCheck {
  /** The most entries of a part: sessions, their events, and remembered keys. */
  static final int MOST_ENTRIES = 10_000;

  private static final int MOST_CONTAINED = SlotSessions.MOST_DRAINED;
  private static final int MOST_PARTS = 10_000_000;
  private static final Set<String> ENDINGS =
      Set.of(SessionEnding.IDLE.name(), SessionEnding.COMPLETED.name());
  private static final int MOST_HASHES = KeptEvents.EARLIER;
  private static final int LONGEST_NAME = 1_000;
  private static final int LONGEST_ATTRIBUTES = 8 * SentEvent.MAX_ATTRIBUTES;
  private static final int LONGEST_OUTCOME = 40;
  private static final int HIGHEST_HANDOVER = 1 << 30;
  private static final long MOST_EVENTS = 1L << 50;
  // The end of the year 9999.
  private static final long LATEST = 253_402_300_799_999L;
  private static final Pattern NEXT = Pattern.compile("(\\d{1,10})/(-1|\\d{1,19})/(\\d{1,19})");
  private static final Pattern HOLDING = Pattern.compile("(.{1,1000})/(\\d{1,19})", Pattern.DOTALL);

  private final SlotPage page;
  // The session or key that is judged, for messages.
  private String about = "";

  private SlotPageCheck(SlotPage page) {
    this.page = page;
  }

  /**
   * Refuses what no node sends.
   *
   * @throws MillraceException INVALID_REQUEST that names the field, the slot and the sender
   */
  public static void require(SlotPage page) {
    new SlotPageCheck(page).judge();
  }

  private void judge() {
    hold(page.from() != null && page.from().length() <= LONGEST_NAME, "from");
    between("slot", page.slot(), 0, SlotTable.SLOTS - 1L);
    between("epoch", page.epoch(), 0, Long.MAX_VALUE - 1);
    Sending sending = page.sending();
    hold(sending != null && sending.id() != null, "sending");
    between("sending.ownerEpoch", sending.ownerEpoch(), page.epoch() + 1, Long.MAX_VALUE);
    between("part", page.part(), 0, MOST_PARTS);
    judgeContained();
    boolean ends = judgeNext();
    long entries = (long) page.sessions().size() + page.completed().size();
    between("sessions, completed", entries, 0, MOST_ENTRIES);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < page.sessions().size(); i++) {
      MovedSession session = page.sessions().get(i);
      judgeKey(session.key(), "sessions.key");
      hold(keys.add(session.key()), "sessions.key", "is there twice");
      hold(session.events() != null, "sessions.events");
      entries += session.events().size();
      between("sessions.events", entries, 0, MOST_ENTRIES);
      boolean first = i == 0 && page.part() > 0;
      boolean last = i == page.sessions().size() - 1 && !ends;
      judge(session, first, last);
    }
    for (RememberedKey key : page.completed()) {
      judgeKey(key.key(), "completed.key");
      judge(key);
    }
  }

  private void judgeContained() {
    between("contained", page.contained().size(), 0, MOST_CONTAINED);
    for (String holding : page.contained()) {
      Matcher parts = HOLDING.matcher(holding);
      hold(parts.matches(), "contained", "is not the name of a node with an epoch");
      hold(number(parts.group(2)) < page.epoch(), "contained", "is not of an earlier epoch");
    }
  }

  /** Whether the last session of the part ends in it. */
  private boolean judgeNext() {
    if (page.next() == null) {
      return true;
    }
    Matcher parts = NEXT.matcher(page.next());
    hold(parts.matches(), "next", "names no next part");
    hold(number(parts.group(1)) == page.part() + 1L, "next", "is not the part after this one");
    return parts.group(2).equals("-1") || number(parts.group(3)) == 0;
  }

  // More digits than a number has are more than any bound.
  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException tooLarge) {
      return Long.MAX_VALUE;
    }
  }

  private void judgeKey(String key, String field) {
    about = "";
    hold(key != null && !key.isBlank() && key.length() <= SessionKey.LONGEST, field);
    about = " of key " + ShownText.of(key);
    hold(SessionKey.slot(key) == page.slot(), field, "belongs to slot " + SessionKey.slot(key));
  }

  private void judge(MovedSession session, boolean mayContinue, boolean mayBeContinued) {
    judge(session.number(), "sessions.number");
    between("sessions.openedAt", session.openedAt(), 0, LATEST);
    between("sessions.accepted", session.accepted(), 0, MOST_EVENTS);
    between("sessions.acknowledged", session.acknowledged(), 0, session.accepted());
    between("sessions.snapshotThrough", session.snapshotThrough(), 0, session.acknowledged());
    hold(
        session.ending() == null
            || (ENDINGS.contains(session.ending()) && session.acknowledged() == session.accepted()),
        "sessions.ending",
        "is neither IDLE nor COMPLETED, or not all events are acknowledged");
    between("sessions.attempts", session.attempts(), 0, HIGHEST_HANDOVER);
    judge(session.earlierIds(), "sessions.earlierIds");
    long before = session.snapshotThrough();
    long n = before;
    for (int i = 0; i < session.events().size(); i++) {
      MovedEvent event = session.events().get(i);
      hold(event != null, "sessions.events");
      boolean follows = event.n() == n + 1 || (i == 0 && mayContinue && event.n() > n);
      hold(follows, "sessions.events.n", "is %d after %d".formatted(event.n(), n));
      n = event.n();
      judge(event);
    }
    // Of one that goes on in the next part, all events may come later.
    boolean whole = n == session.accepted() || (mayBeContinued && n < session.accepted());
    hold(
        whole,
        "sessions.accepted",
        "is %d, but the last event is %d".formatted(session.accepted(), n));
  }

  private void judge(MovedEvent event) {
    hold(event.id() != null && event.id().length() <= LONGEST_NAME, "sessions.events.id");
    between("sessions.events.storedAt", event.storedAt(), 0, LATEST);
    hold(event.data() != null, "sessions.events.data");
    between("the length of sessions.events.data", event.data().length(), 1, NewEvent.MAX_DATA);
    hold(isValue(event.data()), "sessions.events.data", "is not one JSON value");
    String attributes = event.attributes();
    hold(
        attributes == null
            || (attributes.length() <= LONGEST_ATTRIBUTES && isObjectOfTexts(attributes)),
        "sessions.events.attributes",
        "are not a JSON object of texts");
  }

  private void judge(RememberedKey key) {
    judge(key.number(), "completed.number");
    between("completed.epoch", key.epoch(), 0, page.epoch());
    between("completed.completedAt", key.completedAt(), 0, LATEST);
    between("completed.events", key.events(), 0, MOST_EVENTS);
    String outcome = key.outcome();
    hold(outcome != null && outcome.length() <= LONGEST_OUTCOME, "completed.outcome");
    judge(key.ids(), "completed.ids");
  }

  private void judge(SessionNumber number, String field) {
    hold(number != null, field);
    between("the epoch of " + field, number.epoch(), 0, page.epoch());
    between("the handover of " + field, number.handover(), 0, HIGHEST_HANDOVER);
  }

  private void judge(List<Long> hashes, String field) {
    hold(hashes != null, field);
    between(field, hashes.size(), 0, MOST_HASHES);
    hold(!hashes.contains(null), field);
  }

  private static boolean isValue(String text) {
    try (JsonParser parser = Json.mapper().createParser(text)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      return parser.currentToken() != null && parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isObjectOfTexts(String text) {
    try (JsonParser parser = Json.mapper().createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        JsonToken value = parser.nextToken();
        if (value == null || !value.isScalarValue()) {
          return false;
        }
      }
      return parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  private void between(String field, long value, long least, long most) {
    hold(
        value >= least && value <= most,
        field,
        "is %d, not from %d to %d".formatted(value, least, most));
  }

  private void hold(boolean kept, String field) {
    hold(kept, field, "is missing, or too long");
  }

  private void hold(boolean kept, String field, String problem) {
    if (!kept) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "part %d of slot %d from %s under epoch %d is not stored: %s%s %s"
              .formatted(
                  page.part(),
                  page.slot(),
                  ShownText.of(page.from()),
                  page.epoch(),
                  field,
                  about,
                  problem));
    }
  }
}
