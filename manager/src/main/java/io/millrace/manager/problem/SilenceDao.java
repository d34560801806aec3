package io.millrace.manager.problem;

import io.millrace.api.insight.ProblemSilence;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** The table {@code problem_silence}. Stateless; works in its caller's transaction. */
public final class SilenceDao {
  private SilenceDao() {}

  /** The silences in force, by code and subject. */
  public static List<ProblemSilence> inForce(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            select *
            from problem_silence
            where until_at > :now
            order by code, subject
            """)
        .bind("now", now)
        .map(SilenceDao::silence)
        .list();
  }

  /** The silence of that code and subject; the subject is empty for all. */
  public static Optional<ProblemSilence> find(Handle handle, String code, String subject) {
    return handle
        .createQuery(
            """
            select *
            from problem_silence
            where code = :code and subject = :subject
            """)
        .bind("code", code)
        .bind("subject", subject)
        .map(SilenceDao::silence)
        .findOne();
  }

  /** The silence of that number, in force or not. */
  public static Optional<ProblemSilence> find(Handle handle, long id) {
    return handle
        .createQuery("select * from problem_silence where id = :id")
        .bind("id", id)
        .map(SilenceDao::silence)
        .findOne();
  }

  /** Writes a silence; one of the same code and subject is replaced. */
  public static void put(Handle handle, ProblemSilence silence) {
    handle
        .createUpdate(
            """
            insert into problem_silence (code, subject, until_at, reason, set_by, set_at)
            values (:code, :subject, :until, :reason, :by, :at)
            on duplicate key update until_at = values(until_at), reason = values(reason),
                set_by = values(set_by), set_at = values(set_at)
            """)
        .bind("code", silence.code())
        .bind("subject", silence.subject() == null ? "" : silence.subject())
        .bind("until", silence.until())
        .bind("reason", silence.reason())
        .bind("by", silence.by())
        .bind("at", silence.at())
        .execute();
  }

  /** Ends a silence; false if there is none of that number. */
  public static boolean delete(Handle handle, long id) {
    return handle
            .createUpdate("delete from problem_silence where id = :id")
            .bind("id", id)
            .execute()
        == 1;
  }

  /** Deletes silences that have ended. */
  public static void deleteOver(Handle handle, Instant now) {
    handle
        .createUpdate("delete from problem_silence where until_at <= :now")
        .bind("now", now)
        .execute();
  }

  private static ProblemSilence silence(RowView row) {
    String subject = row.getColumn("subject", String.class);
    return new ProblemSilence(
        row.getColumn("id", Long.class),
        row.getColumn("code", String.class),
        subject.isEmpty() ? null : subject,
        row.getColumn("until_at", Instant.class),
        row.getColumn("reason", String.class),
        row.getColumn("set_by", String.class),
        row.getColumn("set_at", Instant.class));
  }
}
