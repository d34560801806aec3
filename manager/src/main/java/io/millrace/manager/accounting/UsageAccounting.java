package io.millrace.manager.accounting;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.UsageReport;
import io.millrace.api.insight.UsageReport.UsageBy;
import io.millrace.api.insight.UsageReport.UsageRow;
import io.millrace.manager.accounting.AttemptUse.UseKey;
import io.millrace.manager.job.EndedAttempt;
import io.millrace.manager.job.JobWatcher;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Adds up what attempts use, in the transactions that end them, so that each counts once whatever
 * happens to a central manager; and reports the sums. Thread-safe; reports and {@link #run} block
 * on the database.
 */
public final class UsageAccounting implements JobWatcher {
  /** Days that are kept. */
  public static final int KEPT_DAYS = 400;

  private static final int FOLDED = 1_000;
  private static final int DELETED = 1_000;
  private static final int MAX_ROWS = 1_000;
  private static final int MAX_NAME = 200;
  private static final String TASK = "task:";
  private static final double MILLIS = 1_000.0;
  private static final double MIB_SECONDS_PER_GIB_HOUR = 1_024.0 * 3_600;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final UsageDao store = new UsageDao();

  public UsageAccounting(Database database, ClaimDao claims) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    Map<Long, String> owners =
        store.owners(handle, ends.stream().map(end -> end.job().id()).toList());
    Map<UseKey, AttemptUse> uses = new HashMap<>();
    for (EndedAttempt end : ends) {
      AttemptUse use = AttemptUse.of(end);
      if (!use.equals(AttemptUse.NONE)) {
        String queue = end.job().queue();
        uses.merge(
            new UseKey(
                day(now).toEpochDay(),
                owners.getOrDefault(end.job().id(), ""),
                queue == null ? "" : queue),
            use,
            AttemptUse::plus);
      }
    }
    store.record(handle, uses);
  }

  /** Adds recorded uses to the sums and deletes old sums; under its claim. */
  public void run(Claim claim) {
    new RetentionRounds(database, handle -> claims.lock(handle, claim))
        .add(handle -> store.fold(handle, FOLDED) == FOLDED)
        .add(
            handle -> {
              long oldest = day(time.now(handle)).minusDays(KEPT_DAYS).toEpochDay();
              return store.deleteBefore(handle, oldest, DELETED) == DELETED;
            })
        .run();
  }

  /**
   * What was used in a period of whole days (UTC).
   *
   * @param since the first day, as an age such as {@code 7d} or a date
   * @param until the last day likewise; null for today
   * @throws MillraceException INVALID_REQUEST for a period that is none
   */
  public UsageReport report(UsageBy by, String since, String until) {
    Instant now = database.now();
    LocalDate first = day("since", since, now);
    LocalDate last = until == null ? day(now) : day("until", until, now);
    if (last.isBefore(first)) {
      throw refuse("until: %s is before since, %s".formatted(last, first));
    }
    LocalDate oldest = day(now).minusDays(KEPT_DAYS);
    boolean partlyKept = first.isBefore(oldest) && !last.isBefore(oldest);
    LocalDate from = partlyKept ? oldest : first;
    Map<String, AttemptUse> sums = new HashMap<>();
    AttemptUse total = AttemptUse.NONE;
    for (Map.Entry<UseKey, AttemptUse> entry :
        database.read(handle -> store.between(handle, from.toEpochDay(), last.toEpochDay()))) {
      String name = name(by, entry.getKey());
      if (name != null) {
        sums.merge(name, entry.getValue(), AttemptUse::plus);
        total = total.plus(entry.getValue());
      }
    }
    List<UsageRow> rows = new ArrayList<>();
    sums.forEach((name, use) -> rows.add(row(name, use)));
    rows.sort(
        Comparator.comparingDouble(UsageRow::slotSeconds).reversed().thenComparing(UsageRow::name));
    return new UsageReport(
        by,
        from.toString(),
        last.toString(),
        oldest.toString(),
        rows.subList(0, Math.min(MAX_ROWS, rows.size())),
        rows.size(),
        row("total", total));
  }

  private static String name(UsageBy by, UseKey key) {
    return switch (by) {
      case OWNER -> key.owner();
      case QUEUE -> key.queue().isEmpty() ? null : key.queue();
      case TASK -> key.owner().startsWith(TASK) ? key.owner().substring(TASK.length()) : null;
    };
  }

  private static UsageRow row(String name, AttemptUse use) {
    return new UsageRow(
        name,
        use.runs(),
        use.failures(),
        use.runMillis() / MILLIS,
        use.slotMillis() / MILLIS,
        use.cpuMillis() / MILLIS,
        use.memoryMibSeconds() / MIB_SECONDS_PER_GIB_HOUR);
  }

  private static LocalDate day(Instant instant) {
    return instant.atZone(ZoneOffset.UTC).toLocalDate();
  }

  private static LocalDate day(String name, String text, Instant now) {
    String shown = text.length() <= MAX_NAME ? text : text.substring(0, MAX_NAME) + "...";
    try {
      return text.indexOf('-') > 0 ? LocalDate.parse(text) : day(now.minus(Durations.parse(text)));
    } catch (DateTimeException | IllegalArgumentException | ArithmeticException e) {
      throw refuse(
          "%s: '%s' is neither an age such as 7d nor a date such as 2026-03-01"
              .formatted(name, shown));
    }
  }

  private static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }
}
