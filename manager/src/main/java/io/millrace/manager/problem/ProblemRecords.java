package io.millrace.manager.problem;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.EndedProblem;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemCode;
import io.millrace.api.insight.ProblemSilence;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import io.millrace.manager.problem.ProblemRecordDao.ProblemKey;
import io.millrace.manager.problem.ProblemRecordDao.ProblemRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The times and silences of problems. Thread-safe; blocks on the database. */
public final class ProblemRecords {
  /** Most problems of one code that are listed; further ones are counted. */
  static final int MAX_OF_A_CODE = 20;

  /** Subject of the line that counts further problems of a code. */
  static final String FURTHER = "(further)";

  private static final int MAX_SILENCES = 1_000;
  private static final int LONGEST_SUBJECT = 250;
  private static final int LONGEST_REASON = 1_000;
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofDays(30);

  private final Database database;
  private final DatabaseTime time;

  public ProblemRecords(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /**
   * The same problems with their begin and silence, silenced ones last; at most {@value
   * #MAX_OF_A_CODE} of each code and their number.
   */
  public List<Alert> dated(List<Alert> alerts) {
    if (alerts.isEmpty()) {
      return List.of();
    }
    return database.read(
        handle -> {
          Instant now = time.now(handle);
          Map<ProblemKey, Instant> begins = new HashMap<>();
          for (ProblemRow row : ProblemRecordDao.open(handle)) {
            begins.put(row.key(), row.beganAt());
          }
          List<ProblemSilence> silences = SilenceDao.inForce(handle, now);
          // The most urgent first, as pages show only some; silenced ones take no place of others.
          return bounded(
              alerts.stream()
                  .map(alert -> dated(alert, begins, silences, now))
                  .sorted(
                      Comparator.comparing((Alert alert) -> alert.silence() != null)
                          .thenComparing(Alert::severity))
                  .toList());
        });
  }

  private static Alert dated(
      Alert alert, Map<ProblemKey, Instant> begins, List<ProblemSilence> silences, Instant now) {
    Instant known = alert.since() == null ? now : alert.since();
    Instant since = begins.getOrDefault(new ProblemKey(alert.code(), alert.subject()), known);
    ProblemSilence silence =
        silences.stream()
            .filter(one -> one.covers(alert.code(), alert.subject()))
            .findFirst()
            .orElse(null);
    return alert.with(since, silence);
  }

  static List<Alert> bounded(List<Alert> alerts) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    List<Alert> kept = new ArrayList<>();
    for (Alert alert : alerts) {
      if (counts.merge(alert.code(), 1, Integer::sum) <= MAX_OF_A_CODE) {
        kept.add(alert);
      }
    }
    counts.forEach(
        (code, count) -> {
          if (count > MAX_OF_A_CODE) {
            kept.add(
                new Alert(
                    code,
                    FURTHER,
                    "and %,d more problems of this kind".formatted(count - MAX_OF_A_CODE)));
          }
        });
    return kept;
  }

  /** Ended problems, the last to end first. */
  public List<EndedProblem> ended(int limit) {
    return database
        .<List<ProblemRow>, RuntimeException>read(handle -> ProblemRecordDao.ended(handle, limit))
        .stream()
        .map(ProblemRecords::ended)
        .toList();
  }

  private static EndedProblem ended(ProblemRow row) {
    Alert alert = new Alert(row.code(), row.subject(), row.message());
    return new EndedProblem(
        row.id(),
        row.code(),
        row.subject(),
        alert.severity(),
        row.message(),
        row.beganAt(),
        row.endedAt());
  }

  /** The silences in force, by code and subject. */
  public List<ProblemSilence> silences() {
    return database.read(handle -> SilenceDao.inForce(handle, time.now(handle)));
  }

  /** Silences problems; one of the same code and subject is replaced. */
  public ProblemSilence silence(SilenceRequest request, String actor) {
    check(request);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          SilenceDao.deleteOver(handle, now);
          String subject = Objects.requireNonNullElse(request.subject(), "");
          boolean replaced = SilenceDao.find(handle, request.code(), subject).isPresent();
          if (!replaced && SilenceDao.inForce(handle, now).size() >= MAX_SILENCES) {
            throw invalid(
                "there are %,d silences; lift some, or silence a code for every subject"
                    .formatted(MAX_SILENCES));
          }
          SilenceDao.put(
              handle,
              new ProblemSilence(
                  0,
                  request.code(),
                  request.subject(),
                  now.plus(request.duration()),
                  request.reason().strip(),
                  actor,
                  now));
          return SilenceDao.find(handle, request.code(), subject).orElseThrow();
        });
  }

  /** Ends a silence before its time. */
  public ProblemSilence lift(long id) {
    return database.transaction(
        handle -> {
          ProblemSilence silence =
              SilenceDao.find(handle, id)
                  .orElseThrow(
                      () ->
                          new MillraceException(
                              ErrorCode.UNKNOWN_SILENCE,
                              "there is no silence %d; it may have ended. 'millrace problems silences' lists them"
                                  .formatted(id)));
          SilenceDao.delete(handle, id);
          return silence;
        });
  }

  private static void check(SilenceRequest request) {
    if (request.code() == null || ProblemCode.named(request.code()).isEmpty()) {
      throw invalid(
          "code must be the code of a problem: "
              + Arrays.stream(ProblemCode.values())
                  .map(ProblemCode::name)
                  .collect(Collectors.joining(", ")));
    }
    if (request.subject() != null
        && (request.subject().isBlank() || request.subject().length() > LONGEST_SUBJECT)) {
      throw invalid(
          "subject must have 1 to %d characters, or be omitted for every subject"
              .formatted(LONGEST_SUBJECT));
    }
    Duration duration = request.duration();
    if (duration == null || duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
      throw invalid(
          "duration must be from %s to %s"
              .formatted(Durations.format(SHORTEST), Durations.format(LONGEST)));
    }
    if (request.reason() == null
        || request.reason().isBlank()
        || request.reason().length() > LONGEST_REASON) {
      throw invalid("reason must have 1 to %,d characters".formatted(LONGEST_REASON));
    }
  }

  private static MillraceException invalid(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }
}
