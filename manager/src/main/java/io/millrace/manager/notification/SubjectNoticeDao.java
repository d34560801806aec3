package io.millrace.manager.notification;

import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code subject_notice}. Stateless; works in its caller's transaction. */
public final class SubjectNoticeDao {
  private static final int PIECE = 100;
  private static final int LONGEST_FAILURE = 1_000;
  private static final List<String> KINDS =
      Arrays.stream(NoticeKind.values()).map(NoticeKind::name).toList();

  /** Occasions that are found by looking, and must not be written again. */
  static final Set<String> REPEATED =
      Stream.of(Occasion.LATE, Occasion.HUNG, Occasion.DEAD)
          .map(Occasion::name)
          .collect(Collectors.toUnmodifiableSet());

  private SubjectNoticeDao() {}

  /**
   * Writes a notice, unless the same occasion was written before. Fails if a value is too long: a
   * part of it could not be delivered.
   */
  public static void write(Handle handle, SubjectNotice notice) {
    handle
        .createUpdate(
            """
            insert into subject_notice (about, subject, occasion, occurrence, kind, target,
                content, added, owner, run_as, pool, tries, due_at, state)
            values (:about, :subject, :occasion, :occurrence, :kind, :target, :content, 0, :owner,
                :runAs, :pool, 0, :due, 'DUE')
            on duplicate key update id = id
            """)
        .bind("about", notice.about().name())
        .bind("subject", notice.subject())
        .bind("occasion", notice.occasion())
        .bind("occurrence", notice.occurrence())
        .bind("kind", notice.kind().name())
        .bind("target", notice.target())
        .bind("content", notice.content())
        .bind("owner", notice.owner())
        .bind("runAs", notice.runAs())
        .bind("pool", notice.pool())
        .bind("due", notice.dueAt())
        .execute();
  }

  /** How many notices about the same occasion of the same subject wait. */
  public static int waiting(Handle handle, SubjectNotice notice) {
    return handle
        .createQuery(
            """
            select count(*)
            from subject_notice
            where about = :about and subject = :subject and occasion = :occasion
                and kind = :kind and state = 'DUE'
            """)
        .bind("about", notice.about().name())
        .bind("subject", notice.subject())
        .bind("occasion", notice.occasion())
        .bind("kind", notice.kind().name())
        .mapTo(Integer.class)
        .one();
  }

  /** Whether the same occasion was written before. */
  public static boolean known(Handle handle, SubjectNotice notice) {
    return handle
        .createQuery(
            """
            select id
            from subject_notice
            where about = :about and subject = :subject and occasion = :occasion
                and occurrence = :occurrence and kind = :kind
            """)
        .bind("about", notice.about().name())
        .bind("subject", notice.subject())
        .bind("occasion", notice.occasion())
        .bind("occurrence", notice.occurrence())
        .bind("kind", notice.kind().name())
        .mapTo(Long.class)
        .findOne()
        .isPresent();
  }

  /** Adds one to the last notice that waits about the same occasion of the same subject. */
  public static void addToLast(Handle handle, SubjectNotice notice) {
    handle
        .createUpdate(
            """
            update subject_notice
            set added = added + 1
            where about = :about and subject = :subject and occasion = :occasion
                and kind = :kind and state = 'DUE'
            order by occurrence desc
            limit 1
            """)
        .bind("about", notice.about().name())
        .bind("subject", notice.subject())
        .bind("occasion", notice.occasion())
        .bind("kind", notice.kind().name())
        .execute();
  }

  /** Adds to notices about that occasion that are not due yet; false if there is none. */
  public static boolean addToFuture(
      Handle handle, NoticeSubject about, String subject, String occasion, long more, Instant now) {
    return handle
            .createUpdate(
                """
                update subject_notice
                set added = added + :more
                where about = :about and subject = :subject and occasion = :occasion
                    and state = 'DUE' and tries = 0 and due_at > :now
                """)
            .bind("more", more)
            .bind("about", about.name())
            .bind("subject", subject)
            .bind("occasion", occasion)
            .bind("now", now)
            .execute()
        > 0;
  }

  /** When the last notice about that occasion was, or is, due; empty for none. */
  public static Optional<Instant> lastDue(
      Handle handle, NoticeSubject about, String subject, String occasion) {
    return handle
        .createQuery(
            """
            select due_at
            from subject_notice
            where about = :about and subject = :subject and occasion = :occasion
            order by occurrence desc
            limit 1
            """)
        .bind("about", about.name())
        .bind("subject", subject)
        .bind("occasion", occasion)
        .mapTo(Instant.class)
        .findOne();
  }

  /**
   * Notices about these kinds of subjects that are due, the longest due first. Those of kinds that
   * only a newer version knows are left to it.
   */
  public static List<SubjectNotice> due(
      Handle handle, Set<NoticeSubject> about, Instant now, DuePosition after, int limit) {
    return handle
        .createQuery(
            """
            select id, about, subject, occasion, occurrence, kind, target, content, added, owner,
                run_as, pool, tries, due_at
            from subject_notice
            where state = 'DUE' and due_at <= :now and due_at >= :from
                and (due_at > :from or id > :after)
                and about in (<about>) and kind in (<kinds>)
            order by state, due_at, id
            limit :limit
            """)
        .bind("now", now)
        .bind("from", after.dueAt())
        .bind("after", after.id())
        .bindList("about", about.stream().map(NoticeSubject::name).toList())
        .bindList("kinds", KINDS)
        .bind("limit", limit)
        .map(ConstructorMapper.of(SubjectNotice.class))
        .list();
  }

  /**
   * Lets those of these that still are due since that time wait. One that was tried since then is
   * due since another time.
   *
   * @param tries how many are added to their failed tries
   */
  public static void postpone(
      Handle handle, List<Long> ids, Instant dueAt, int tries, String failure, Instant next) {
    handle
        .createUpdate(
            """
            update subject_notice
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
   * Ends those of these that still are due since that time, and are delivered or given up: they are
   * kept if their occasion must not be written again.
   *
   * @return how many
   */
  public static int end(Handle handle, List<Long> ids, Instant dueAt) {
    int kept =
        handle
            .createUpdate(
                """
                update subject_notice
                set state = 'SENT'
                where id in (<ids>) and state = 'DUE' and due_at = :due
                    and occasion in (<repeated>)
                """)
            .bindList("ids", ids)
            .bind("due", dueAt)
            .bindList("repeated", List.copyOf(REPEATED))
            .execute();
    int deleted =
        handle
            .createUpdate(
                """
                delete from subject_notice
                where id in (<ids>) and state = 'DUE' and due_at = :due
                    and occasion not in (<repeated>)
                """)
            .bindList("ids", ids)
            .bind("due", dueAt)
            .bindList("repeated", List.copyOf(REPEATED))
            .execute();
    return kept + deleted;
  }

  /** Deletes some sent notices that were due before that time. */
  public static void deleteOld(Handle handle, Instant before) {
    handle
        .createUpdate(
            """
            delete from subject_notice
            where state = 'SENT' and due_at < :before
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", PIECE)
        .execute();
  }

  /** What a notice is about. */
  public enum NoticeSubject {
    /** A task and its runs. */
    TASK,
    /** A queue. */
    QUEUE,
    /** A problem of the cluster. */
    PROBLEM,
    /** A workflow. */
    WORKFLOW
  }

  /**
   * A notice about a run, a queue or a problem.
   *
   * @param id of the row; 0 before it is written
   * @param about the kind of its subject
   * @param subject its name
   * @param occasion what happened
   * @param occurrence number of that occasion, so that it is told once
   * @param kind how it is delivered
   * @param target the address, or JSON of argv
   * @param content JSON of a {@link NoticeText}
   * @param added further occurrences that it stands for
   * @param owner of the job of a command
   * @param runAs user of the job of a command; null for the node's own
   * @param pool of the job of a command; null for the default
   * @param tries failed tries of its own so far
   * @param dueAt when it is delivered, or tried again; changes with each try
   */
  public record SubjectNotice(
      long id,
      NoticeSubject about,
      String subject,
      String occasion,
      long occurrence,
      NoticeKind kind,
      String target,
      String content,
      long added,
      String owner,
      String runAs,
      String pool,
      int tries,
      Instant dueAt) {}
}
