package io.millrace.manager.notification;

import io.millrace.api.MessageText;
import io.millrace.api.notification.Notification;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/**
 * The tables {@code notice_command} and {@code notice_failure}: commands of notifications that have
 * not ended, and commands and addresses whose last delivery failed. Stateless; works in its
 * caller's transaction.
 */
public final class NoticeFailureDao {
  /** How long a failure is remembered after which nothing more failed. */
  static final Duration KEPT = Duration.ofDays(1);

  private static final int PIECE = 100;
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_SUBJECT = 300;
  private static final int LONGEST_REASON = 1_000;

  private NoticeFailureDao() {}

  /** Remembers the job that runs the command of a notification. */
  public static void commanded(
      Handle handle, long job, FailingTarget target, String toldOf, Instant now) {
    handle
        .createUpdate(
            """
            insert into notice_command (job_id, target_hash, shown, told_of, submitted_at)
            values (:job, :hash, :shown, :toldOf, :now)
            """)
        .bind("job", job)
        .bind("hash", target.hash())
        .bind("shown", NoticeText.shortened(target.shown(), LONGEST_NAME))
        .bind("toldOf", NoticeText.shortened(toldOf, LONGEST_SUBJECT))
        .bind("now", now)
        .execute();
  }

  /** Those of these jobs that run commands of notifications, by job. */
  public static Map<Long, NoticeCommand> commands(Handle handle, Collection<Long> jobs) {
    return handle
        .createQuery(
            """
            select job_id as job, target_hash as hash, shown, told_of
            from notice_command
            where job_id in (<jobs>)
            """)
        .bindList("jobs", List.copyOf(jobs))
        .map(ConstructorMapper.of(NoticeCommand.class))
        .stream()
        .collect(Collectors.toMap(NoticeCommand::job, Function.identity()));
  }

  /** Forgets jobs that ended. */
  public static void ended(Handle handle, Collection<Long> jobs) {
    handle
        .createUpdate("delete from notice_command where job_id in (<jobs>)")
        .bindList("jobs", List.copyOf(jobs))
        .execute();
  }

  /** Records that a delivery failed for good. */
  public static void failed(
      Handle handle, FailingTarget target, String toldOf, String reason, Instant now) {
    failed(handle, target, 1, toldOf, reason, now);
  }

  /** Records that so many deliveries failed for good. */
  public static void failed(
      Handle handle,
      FailingTarget target,
      long deliveries,
      String toldOf,
      String reason,
      Instant now) {
    handle
        .createUpdate(
            """
            insert into notice_failure (target_hash, shown, told_of, failures, began_at, failed_at,
                reason)
            values (:hash, :shown, :toldOf, :deliveries, :now, :now, :reason)
            on duplicate key update told_of = values(told_of),
                failures = failures + values(failures), failed_at = values(failed_at), reason = values(reason)
            """)
        .bind("hash", target.hash())
        .bind("shown", NoticeText.shortened(target.shown(), LONGEST_NAME))
        .bind("toldOf", NoticeText.shortened(toldOf, LONGEST_SUBJECT))
        .bind("deliveries", deliveries)
        .bind("now", now)
        .bind("reason", NoticeText.shortened(reason, LONGEST_REASON))
        .execute();
  }

  /** Forgets the failures of a target, to which something was delivered. */
  public static void delivered(Handle handle, String hash) {
    handle
        .createUpdate("delete from notice_failure where target_hash = :hash")
        .bind("hash", hash)
        .execute();
  }

  /** Targets whose last delivery failed, the last to fail first. */
  public static List<NoticeFailure> failing(Handle handle, int limit) {
    return handle
        .createQuery(
            """
            select target_hash as hash, shown, told_of, failures, began_at, failed_at, reason
            from notice_failure
            order by failed_at desc, target_hash desc
            limit :limit
            """)
        .bind("limit", limit)
        .map(ConstructorMapper.of(NoticeFailure.class))
        .list();
  }

  /** Deletes some failures, and jobs of commands, from before these times. */
  public static void deleteOld(Handle handle, Instant failedBefore, Instant submittedBefore) {
    handle
        .createUpdate("delete from notice_failure where failed_at < :before limit :limit")
        .bind("before", failedBefore)
        .bind("limit", PIECE)
        .execute();
    handle
        .createUpdate("delete from notice_command where submitted_at < :before limit :limit")
        .bind("before", submittedBefore)
        .bind("limit", PIECE)
        .execute();
  }

  /**
   * A command or an address to which notices are delivered.
   *
   * @param hash identifies it
   * @param shown for people; of an address only the host, because its path may be a secret
   */
  public record FailingTarget(String hash, String shown) {
    static FailingTarget webhook(String address, String host) {
      return new FailingTarget(digest("WEBHOOK " + address), "webhook " + host);
    }

    static FailingTarget command(List<String> argv) {
      return new FailingTarget(
          digest("COMMAND " + String.join("\0", argv)), "command " + argv.get(0));
    }

    /** The identities of the command and the address that a definition names. */
    public static Stream<String> named(Notification notification) {
      Stream<FailingTarget> command =
          notification.command().isEmpty()
              ? Stream.empty()
              : Stream.of(command(notification.command()));
      Stream<FailingTarget> webhook =
          Stream.ofNullable(notification.webhook()).map(address -> webhook(address, address));
      return Stream.concat(command, webhook).map(FailingTarget::hash);
    }

    /** One that may not be readable. */
    static FailingTarget unknown(NoticeKind kind, String target) {
      return new FailingTarget(
          digest(kind + " " + target),
          kind == NoticeKind.WEBHOOK ? "webhook " + WebhookPost.host(target) : "a command");
    }

    private static String digest(String text) {
      try {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java has SHA-256", e);
      }
    }
  }

  /**
   * The job that runs the command of a notification.
   *
   * @param job its id
   * @param hash of the command
   * @param shown the command as shown
   * @param toldOf what the notification is about
   */
  public record NoticeCommand(long job, String hash, String shown, String toldOf) {
    FailingTarget target() {
      return new FailingTarget(hash, shown);
    }
  }

  /**
   * A target whose last delivery failed.
   *
   * @param hash identifies it
   * @param shown the command or host
   * @param toldOf what the last one that failed was about
   * @param failures deliveries that failed since one succeeded
   * @param beganAt the first of them
   * @param failedAt the last of them
   * @param reason why the last one failed
   */
  public record NoticeFailure(
      String hash,
      String shown,
      String toldOf,
      long failures,
      Instant beganAt,
      Instant failedAt,
      String reason) {
    /** Who named the target of the last one that failed. */
    public Origin origin() {
      if (isAbout(NoticeSubject.QUEUE) || isAbout(NoticeSubject.TASK)) {
        return Origin.DEFINITION;
      }
      return isAbout(NoticeSubject.PROBLEM) ? Origin.SETTINGS : Origin.JOB;
    }

    private boolean isAbout(NoticeSubject about) {
      return toldOf.startsWith(MessageText.of(about) + " ");
    }

    /** When it is forgotten unless a further delivery fails. */
    public Instant endsAt() {
      return failedAt.plus(KEPT);
    }

    /** What names a target, and so what is to be changed if it is wrong. */
    public enum Origin {
      /** The definition of a queue or task. */
      DEFINITION,
      /** The settings of the central managers. */
      SETTINGS,
      /** A job, whose notifications are those of its submission. */
      JOB
    }
  }
}
