package io.millrace.manager.sample;

import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Adds samples of some seconds up to minutes, and deletes both when they are old. The samples of a
 * queue or node are deleted only after they were added up, in the same turn.
 *
 * <p>Each piece adds up at most an hour of one queue or node in a transaction of the duty. The next
 * piece begins after the last minute that is stored, whoever holds the duty then, so that no minute
 * is left out or counted twice. Stateless, thread-safe.
 */
public final class SampleKeeping {
  // A sample is stored some time after its own; one that comes even later is not in its minute.
  private static final Duration LATE = Duration.ofSeconds(30);

  /** What one transaction adds up at most. */
  private static final Duration PIECE = Duration.ofHours(1);

  private SampleKeeping() {}

  /** Adds what is due, of every queue and node that has samples, to the rounds of a duty. */
  public static void addTo(RetentionRounds rounds, Database database, Instant now) {
    Instant fine = now.minus(HistorySpan.FINE_KEPT);
    Instant minutes = now.minus(HistorySpan.MINUTES_KEPT);
    for (SampledKind kind : SampledKind.values()) {
      for (String subject : database.read(kind::subjects)) {
        rounds.add(
            handle ->
                addUpSome(handle, kind, subject, now) || kind.forgetSome(handle, subject, fine));
      }
      for (String subject : database.read(handle -> MinuteDao.subjects(handle, kind))) {
        rounds.add(handle -> MinuteDao.forgetSome(handle, kind, subject, minutes));
      }
    }
  }

  /** Adds up the next minutes; returns whether there may be more. */
  static boolean addUpSome(Handle handle, SampledKind kind, String subject, Instant now) {
    Instant end = RollUp.begin(now.minus(LATE), RollUp.MINUTE);
    Instant known =
        MinuteDao.last(handle, kind, subject, end)
            .map(last -> last.plus(RollUp.MINUTE))
            .orElse(Instant.EPOCH);
    Optional<Instant> first = kind.firstFrom(handle, subject, known);
    if (first.isEmpty() || !first.get().isBefore(end)) {
      return false;
    }
    Instant from = RollUp.begin(first.get(), RollUp.MINUTE);
    Instant to = from.plus(PIECE).isBefore(end) ? from.plus(PIECE) : end;
    MinuteDao.add(handle, kind, subject, minutes(handle, kind, subject, from, to));
    return to.isBefore(end);
  }

  /** The minutes of a span, computed from samples of some seconds. */
  static List<TimedSample> minutes(
      Handle handle, SampledKind kind, String subject, Instant from, Instant to) {
    return RollUp.steps(
        // The sample before the first tells what time that one stands for.
        RollUp.spaced(kind.between(handle, subject, from.minus(RollUp.MINUTE), to)),
        RollUp.MINUTE,
        from,
        to);
  }
}
