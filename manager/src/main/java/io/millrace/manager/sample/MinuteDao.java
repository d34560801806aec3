package io.millrace.manager.sample;

import io.millrace.manager.weight.WeightDao;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code minute_sample}. Stateless; runs in the caller's transaction. */
public final class MinuteDao {
  private static final Duration CHUNK = Duration.ofHours(6);

  private MinuteDao() {}

  /** Adds minutes; one that is there stays as it is. */
  static void add(Handle handle, SampledKind kind, String subject, List<TimedSample> minutes) {
    if (minutes.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert ignore into minute_sample (kind, subject, minute_at, seconds, figures, points)
            values (:kind, :subject, :at, :seconds, :figures, :points)
            """);
    for (TimedSample minute : minutes) {
      batch
          .bind("kind", kind.name())
          .bind("subject", subject)
          .bind("at", minute.at())
          .bind("seconds", minute.seconds())
          .bind("figures", FigureText.of(minute.figures()))
          .bind("points", WeightDao.json(minute.weights()))
          .add();
    }
    batch.execute();
  }

  /**
   * The beginning of the last minute before then that was added up. Those after it were added up
   * while the database's clock was ahead.
   */
  static Optional<Instant> last(Handle handle, SampledKind kind, String subject, Instant before) {
    return handle
        .createQuery(
            """
            select minute_at
            from minute_sample
            where kind = :kind and subject = :subject and minute_at < :before
            order by kind desc, subject desc, minute_at desc
            limit 1
            """)
        .bind("kind", kind.name())
        .bind("subject", subject)
        .bind("before", before)
        .mapTo(Instant.class)
        .findOne();
  }

  /** Minutes that begin in a span, in order of time; its end is exclusive. */
  static List<TimedSample> between(
      Handle handle, SampledKind kind, String subject, Instant from, Instant to) {
    return handle
        .createQuery(
            """
            select minute_at, seconds, figures, points
            from minute_sample
            where kind = :kind and subject = :subject and minute_at >= :from and minute_at < :to
            order by minute_at
            """)
        .bind("kind", kind.name())
        .bind("subject", subject)
        .bind("from", from)
        .bind("to", to)
        .map(
            row ->
                new TimedSample(
                    row.getColumn("minute_at", Instant.class),
                    row.getColumn("seconds", Double.class),
                    FigureText.figures(row.getColumn("figures", String.class)),
                    WeightDao.points(row.getColumn("points", String.class))))
        .list();
  }

  /** Those of the kind that have minutes; reads one row of an index for each. */
  static List<String> subjects(Handle handle, SampledKind kind) {
    List<String> subjects = new ArrayList<>();
    Optional<String> next = nextSubject(handle, kind, "");
    while (next.isPresent()) {
      subjects.add(next.get());
      next = nextSubject(handle, kind, next.get());
    }
    return subjects;
  }

  private static Optional<String> nextSubject(Handle handle, SampledKind kind, String after) {
    return handle
        .createQuery(
            """
            select subject
            from minute_sample
            where kind = :kind and subject >= :from
            order by kind, subject, minute_at
            limit 1
            """)
        .bind("kind", kind.name())
        // H2 would read through all minutes of a subject for "greater than". No name has a sign
        // below !.
        .bind("from", after + "!")
        .mapTo(String.class)
        .findOne();
  }

  /** Deletes some of the oldest minutes from before then; returns whether there may be more. */
  static boolean forgetSome(Handle handle, SampledKind kind, String subject, Instant before) {
    Optional<Instant> oldest =
        handle
            .createQuery(
                """
                select minute_at
                from minute_sample
                where kind = :kind and subject = :subject
                order by minute_at
                limit 1
                """)
            .bind("kind", kind.name())
            .bind("subject", subject)
            .mapTo(Instant.class)
            .findOne();
    if (oldest.isEmpty() || !oldest.get().isBefore(before)) {
      return false;
    }
    Instant chunk = oldest.get().plus(CHUNK);
    handle
        .createUpdate(
            """
            delete from minute_sample
            where kind = :kind and subject = :subject and minute_at < :before
            """)
        .bind("kind", kind.name())
        .bind("subject", subject)
        .bind("before", chunk.isBefore(before) ? chunk : before)
        .execute();
    return true;
  }
}
