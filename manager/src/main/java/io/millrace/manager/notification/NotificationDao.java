package io.millrace.manager.notification;

import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code notice}. Stateless; works in its caller's transaction. */
public final class NotificationDao {
  /** Most notices that are read or deleted at once. */
  public static final int MAX = 50;

  private static final int LONGEST_FAILURE = 1_000;
  private static final List<String> KINDS =
      Arrays.stream(NoticeKind.values()).map(NoticeKind::name).toList();
  private static final List<String> OCCASIONS =
      Arrays.stream(Occasion.values()).map(Occasion::name).toList();

  /** Writes notices; the same notice of an earlier try of the job is replaced. */
  public void write(Handle handle, List<Notice> notices) {
    if (notices.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into notice (job_id, occasion, kind, target, tries, due_at, state)
            values (:job, :occasion, :kind, :target, 0, :due, 'DUE')
            on duplicate key update target = values(target), tries = 0, due_at = values(due_at),
                failure = null, state = 'DUE'
            """);
    for (Notice notice : notices) {
      batch
          .bind("job", notice.job())
          .bind("occasion", notice.occasion().name())
          .bind("kind", notice.kind().name())
          .bind("target", notice.target())
          .bind("due", notice.dueAt())
          .add();
    }
    batch.execute();
  }

  /**
   * Notices that are due, the longest due first. Those of kinds that only a newer version knows are
   * left to it.
   */
  public List<Notice> due(Handle handle, Instant now, DuePosition after, int limit) {
    return handle
        .createQuery(
            """
            select id, job_id as job, occasion, kind, target, tries, due_at, failure
            from notice
            where state = 'DUE' and due_at <= :now and due_at >= :from
                and (due_at > :from or id > :after)
                and kind in (<kinds>) and occasion in (<occasions>)
            order by state, due_at, id
            limit :limit
            """)
        .bind("now", now)
        .bind("from", after.dueAt())
        .bind("after", after.id())
        .bindList("kinds", KINDS)
        .bindList("occasions", OCCASIONS)
        .bind("limit", limit)
        .map(ConstructorMapper.of(Notice.class))
        .list();
  }

  /**
   * Lets those of these that still are due since that time wait. One that was tried or written
   * again since then is due since another time.
   *
   * @param tries how many are added to their failed tries
   */
  public void postpone(
      Handle handle, List<Long> ids, Instant dueAt, int tries, String failure, Instant next) {
    handle
        .createUpdate(
            """
            update notice
            set tries = tries + :tries, failure = :failure, due_at = :next
            where id in (<ids>) and state = 'DUE' and due_at = :due
            """)
        .bind("tries", tries)
        .bind("failure", NoticeText.shortened(failure, LONGEST_FAILURE))
        .bind("next", next)
        .bindList("ids", ids)
        .bind("due", dueAt)
        .execute();
  }

  /**
   * Ends those of these that still are due since that time, and are delivered or given up: late
   * ones are kept, so that late jobs can be listed.
   *
   * @return how many
   */
  public int end(Handle handle, List<Long> ids, Instant dueAt) {
    int kept =
        handle
            .createUpdate(
                """
                update notice
                set state = 'TOLD', failure = null
                where id in (<ids>) and state = 'DUE' and due_at = :due and occasion = 'LATE'
                """)
            .bindList("ids", ids)
            .bind("due", dueAt)
            .execute();
    int deleted =
        handle
            .createUpdate(
                """
                delete from notice
                where id in (<ids>) and state = 'DUE' and due_at = :due and occasion <> 'LATE'
                """)
            .bindList("ids", ids)
            .bind("due", dueAt)
            .execute();
    return kept + deleted;
  }

  /** Deletes a notice that is obsolete, unless it was written again since it was read. */
  public void delete(Handle handle, Notice notice) {
    handle
        .createUpdate("delete from notice where id = :id and state = 'DUE' and due_at = :due")
        .bind("id", notice.id())
        .bind("due", notice.dueAt())
        .execute();
  }

  /** Deletes some notices that were delivered before that time, or given up by an older version. */
  public void deleteOld(Handle handle, Instant before) {
    for (String state : List.of("TOLD", "FAILED")) {
      handle
          .createUpdate(
              """
              delete from notice
              where state = :state and due_at < :before
              limit :limit
              """)
          .bind("state", state)
          .bind("before", before)
          .bind("limit", MAX)
          .execute();
    }
  }

  /** Delivered notices due at that time or later, earliest first; up to {@value #MAX}. */
  public List<Notice> delivered(Handle handle, Instant from) {
    return handle
        .createQuery(
            """
            select id, job_id as job, occasion, kind, target, tries, due_at, failure
            from notice
            where state = 'TOLD' and due_at >= :from
            order by state, due_at, id
            limit :limit
            """)
        .bind("from", from)
        .bind("limit", MAX)
        .map(ConstructorMapper.of(Notice.class))
        .list();
  }

  /** Deletes delivered notices of jobs that no longer wait, which are not late any more. */
  public void deleteStarted(Handle handle, List<Long> ids) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate(
              """
              delete from notice
              where id in (<ids>) and state = 'TOLD' and not exists (
                  select 1
                  from job j
                  where j.id = notice.job_id and j.state in ('WAITING', 'BLOCKED', 'HELD'))
              """)
          .bindList("ids", ids)
          .execute();
    }
  }

  /**
   * A notice about a job.
   *
   * @param id of the row; 0 before it is written
   * @param job the job
   * @param occasion what happened
   * @param kind how it is delivered
   * @param target the address, or JSON of argv
   * @param tries failed tries of its own so far
   * @param dueAt when it is delivered, or tried again; changes with each try
   * @param failure the last failure; null for none
   */
  public record Notice(
      long id,
      long job,
      Occasion occasion,
      NoticeKind kind,
      String target,
      int tries,
      Instant dueAt,
      String failure) {

    /** How a notice is delivered. */
    enum NoticeKind {
      /** By a POST to a web address. */
      WEBHOOK,
      /** By a command that runs as a job. */
      COMMAND
    }
  }
}
