package io.millrace.manager.problem;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemSilence;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import io.millrace.manager.problem.ProblemRecordDao.ProblemKey;
import io.millrace.manager.problem.ProblemRecordDao.ProblemRow;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * Records when problems begin and end, and writes notices about both if they are to be sent on.
 * Runs as a claimed duty, on one thread.
 */
public final class ProblemWatch {
  /** How long a problem is not listed before it has ended, so that one that flickers is one. */
  static final Duration ENDED_AFTER = Duration.ofSeconds(15);

  private static final Duration KEPT = Duration.ofDays(30);
  private static final int MAX_KEPT = 10_000;
  private static final int LOOKS_PER_DELETION = 12;
  private static final int LONGEST_MESSAGE = 4_000;
  private static final String OWNER = "problems";

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final Supplier<List<Alert>> listed;
  private final ProblemSettings settings;
  // Only touched by the duty's thread.
  private int looks;

  /**
   * Creates the watch.
   *
   * @param listed the problems now
   * @param settings where they are sent on to
   */
  public ProblemWatch(
      Database database, ClaimDao claims, Supplier<List<Alert>> listed, ProblemSettings settings) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.listed = listed;
    this.settings = settings;
  }

  /** One look. */
  public void run(Claim claim) {
    Map<ProblemKey, Alert> now = new LinkedHashMap<>();
    Set<String> cut = new HashSet<>();
    for (Alert alert : listed.get()) {
      if (alert.subject().equals(ProblemRecords.FURTHER)) {
        cut.add(alert.code());
      } else {
        now.putIfAbsent(new ProblemKey(alert.code(), alert.subject()), alert);
      }
    }
    database.transaction(
        handle -> {
          if (claims.lock(handle, claim)) {
            compare(handle, now, cut, time.now(handle));
          }
          return null;
        });
  }

  /**
   * Compares what is open with what is listed.
   *
   * @param cut codes with more problems than are listed: what is not listed of them may last
   */
  private void compare(
      Handle handle, Map<ProblemKey, Alert> listedNow, Set<String> cut, Instant now) {
    List<ProblemRow> open = ProblemRecordDao.open(handle);
    List<ProblemSilence> silences = SilenceDao.inForce(handle, now);
    Map<ProblemKey, Alert> fresh = new LinkedHashMap<>(listedNow);
    List<Long> seen = new ArrayList<>();
    for (ProblemRow row : open) {
      Alert alert = fresh.remove(row.key());
      if (alert != null) {
        seen.add(row.id());
        stays(handle, row, alert, silences, now);
      } else if (cut.contains(row.key().code())) {
        seen.add(row.id());
      } else if (!row.seenAt().plus(ENDED_AFTER).isAfter(now)) {
        ends(handle, row, now);
      }
    }
    ProblemRecordDao.seen(handle, seen, now);
    fresh.forEach((key, alert) -> begins(handle, key, alert, now));
    if (looks++ % LOOKS_PER_DELETION == 0) {
      deleteOld(handle, now);
    }
  }

  // It is sent on at a later look, if it lasts.
  private static void begins(Handle handle, ProblemKey key, Alert alert, Instant now) {
    Instant began = alert.since() == null || alert.since().isAfter(now) ? now : alert.since();
    ProblemRecordDao.begin(handle, key, message(alert), began, now);
  }

  private void stays(
      Handle handle, ProblemRow row, Alert alert, List<ProblemSilence> silences, Instant now) {
    String message = message(alert);
    if (!message.equals(row.message())) {
      ProblemRecordDao.reword(handle, row.id(), message);
    }
    boolean lasts = !row.beganAt().plus(settings.after()).isAfter(now);
    if (settings.sends() && !row.sent() && lasts && !silenced(row, silences)) {
      send(handle, "BEGAN", row, message, now);
      ProblemRecordDao.sent(handle, row.id());
    }
  }

  // Whoever was told that it began is told that it ended, even if it was silenced meanwhile.
  private void ends(Handle handle, ProblemRow row, Instant now) {
    ProblemRecordDao.end(handle, row.id(), row.seenAt());
    if (settings.sends() && row.sent()) {
      send(handle, "ENDED", row, row.message(), now);
    }
  }

  private static boolean silenced(ProblemRow row, List<ProblemSilence> silences) {
    return silences.stream().anyMatch(silence -> silence.covers(row.code(), row.subject()));
  }

  private void send(Handle handle, String occasion, ProblemRow row, String message, Instant now) {
    Alert alert = new Alert(row.code(), row.subject(), message);
    NoticeText text =
        new NoticeText(
            null,
            occasion,
            "problem",
            row.subject(),
            null,
            row.code(),
            alert.severity().name(),
            message,
            1,
            row.beganAt(),
            null,
            null);
    NoticeTarget target =
        new NoticeTarget(settings.command(), settings.webhook(), OWNER, null, null);
    SubjectOutbox.write(handle, NoticeSubject.PROBLEM, text, row.id(), target, now);
  }

  private static void deleteOld(Handle handle, Instant now) {
    SilenceDao.deleteOver(handle, now);
    ProblemRecordDao.deleteOld(handle, now.minus(KEPT));
    ProblemRecordDao.endBeyond(handle, MAX_KEPT)
        .ifPresent(end -> ProblemRecordDao.deleteOld(handle, end));
  }

  private static String message(Alert alert) {
    return alert.message().length() <= LONGEST_MESSAGE
        ? alert.message()
        : alert.message().substring(0, LONGEST_MESSAGE - 1) + "…";
  }
}
