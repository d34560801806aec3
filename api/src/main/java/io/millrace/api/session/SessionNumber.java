package io.millrace.api.session;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Which assignment of a session something belongs to: it rises whenever a session gets another
 * worker, on whatever node. What carries a lower number comes from a worker that no longer has the
 * session, and is refused. Written as {@code epoch.handover}.
 *
 * @param epoch of the session's slot, which rises when another node gets the slot
 * @param handover of the session under this epoch; each assignment has a higher one than those
 *     before it, and the first one is above 0
 */
public record SessionNumber(long epoch, int handover) implements Comparable<SessionNumber> {
  @Override
  public int compareTo(SessionNumber other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Integer.compare(handover, other.handover);
  }

  @JsonValue
  @Override
  public String toString() {
    return epoch + "." + handover;
  }

  /** Reads what {@link #toString} writes. */
  @JsonCreator
  public static SessionNumber of(String text) {
    int dot = text.indexOf('.');
    try {
      if (dot > 0) {
        return new SessionNumber(
            Long.parseLong(text.substring(0, dot)), Integer.parseInt(text.substring(dot + 1)));
      }
    } catch (NumberFormatException notOne) {
      // Reported below.
    }
    throw new IllegalArgumentException("'" + text + "' is not a session number such as 3.1");
  }
}
