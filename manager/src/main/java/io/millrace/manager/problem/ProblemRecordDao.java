package io.millrace.manager.problem;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code problem}. Stateless; works in its caller's transaction. */
public final class ProblemRecordDao {
  private static final int PIECE = 500;

  private ProblemRecordDao() {}

  /** The problems that have not ended, oldest first. */
  public static List<ProblemRow> open(Handle handle) {
    return handle
        .createQuery(
            """
            select id, code, subject, message, began_at, seen_at, ended_at, sent
            from problem
            where open_key >= ''
            order by id
            """)
        .map(ConstructorMapper.of(ProblemRow.class))
        .list();
  }

  /** Records the begin of a problem. */
  public static void begin(
      Handle handle, ProblemKey key, String message, Instant began, Instant now) {
    handle
        .createUpdate(
            """
            insert ignore into problem (code, subject, open_key, message, began_at, seen_at, sent)
            values (:code, :subject, :key, :message, :began, :now, false)
            """)
        .bind("code", key.code())
        .bind("subject", key.subject())
        .bind("key", key.text())
        .bind("message", message)
        .bind("began", began)
        .bind("now", now)
        .execute();
  }

  /** Records that problems are still seen. */
  public static void seen(Handle handle, Collection<Long> ids, Instant now) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate("update problem set seen_at = :now where id in (<ids>)")
          .bind("now", now)
          .bindList("ids", List.copyOf(ids))
          .execute();
    }
  }

  /** Replaces the message of a problem. */
  public static void reword(Handle handle, long id, String message) {
    handle
        .createUpdate("update problem set message = :message where id = :id")
        .bind("message", message)
        .bind("id", id)
        .execute();
  }

  /** Records the end of a problem. */
  public static void end(Handle handle, long id, Instant ended) {
    handle
        .createUpdate(
            """
            update problem
            set open_key = null, ended_at = :ended
            where id = :id
            """)
        .bind("ended", ended)
        .bind("id", id)
        .execute();
  }

  /** Records that the begin of a problem was sent on. */
  public static void sent(Handle handle, long id) {
    handle.createUpdate("update problem set sent = true where id = :id").bind("id", id).execute();
  }

  /** Ended problems, the last to end first. */
  public static List<ProblemRow> ended(Handle handle, int limit) {
    return handle
        .createQuery(
            """
            select id, code, subject, message, began_at, seen_at, ended_at, sent
            from problem
            where ended_at > '1970-01-02'
            order by ended_at desc, id desc
            limit :limit
            """)
        .bind("limit", limit)
        .map(ConstructorMapper.of(ProblemRow.class))
        .list();
  }

  /** The end of the last problem beyond that number of ended ones; empty if there are fewer. */
  public static Optional<Instant> endBeyond(Handle handle, int kept) {
    return handle
        .createQuery(
            """
            select ended_at
            from problem
            where ended_at > '1970-01-02'
            order by ended_at desc, id desc
            limit 1 offset :kept
            """)
        .bind("kept", kept)
        .mapTo(Instant.class)
        .findOne();
  }

  /** Deletes some problems that ended at that time or before. */
  public static void deleteOld(Handle handle, Instant until) {
    handle
        .createUpdate("delete from problem where ended_at <= :until limit :limit")
        .bind("until", until)
        .bind("limit", PIECE)
        .execute();
  }

  /**
   * What distinguishes problems at one time.
   *
   * @param code stable
   * @param subject what it is about; shortened to what is stored
   */
  public record ProblemKey(String code, String subject) {
    private static final int LONGEST = 250;

    public ProblemKey {
      subject = subject.length() <= LONGEST ? subject : subject.substring(0, LONGEST);
    }

    String text() {
      return code + " " + subject;
    }
  }

  /**
   * A recorded problem.
   *
   * @param id its number
   * @param code stable
   * @param subject what it is about
   * @param message as last reported
   * @param beganAt its begin
   * @param seenAt when it was last seen
   * @param endedAt its end; null while it lasts
   * @param sent whether its begin was sent on
   */
  public record ProblemRow(
      long id,
      String code,
      String subject,
      String message,
      Instant beganAt,
      Instant seenAt,
      Instant endedAt,
      boolean sent) {
    ProblemKey key() {
      return new ProblemKey(code, subject);
    }
  }
}
