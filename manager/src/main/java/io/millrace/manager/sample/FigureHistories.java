package io.millrace.manager.sample;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.FigureHistory;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Reads the history of queues and nodes. Thread-safe; blocks on the database. */
public final class FigureHistories {
  /** The most histories of minutes that are read at a time. */
  static final int MAX_COARSE = 4;

  private static final Duration PIECE = Duration.ofHours(6);

  private final Database database;
  private final Semaphore coarse = new Semaphore(MAX_COARSE);

  public FigureHistories(Database database) {
    this.database = database;
  }

  /**
   * The history of a queue or node, in at most {@value HistorySpan#MAX_SAMPLES} samples; empty if
   * nothing is known of it.
   *
   * @param from null for {@code length} before the end
   * @param to null for now
   * @throws MillraceException INVALID_REQUEST if nothing lies between both; UNAVAILABLE if many
   *     other long histories are being read
   */
  public FigureHistory of(
      SampledKind kind, String subject, Instant from, Instant to, Duration length) {
    HistorySpan span = HistorySpan.of(from, to, length, database.now());
    List<TimedSample> samples =
        span.fine() ? fine(kind, subject, span) : coarse(kind, subject, span);
    return new FigureHistory(
        subject,
        span.from(),
        span.to(),
        span.step().toSeconds(),
        samples.stream().map(TimedSample::shown).toList());
  }

  private List<TimedSample> fine(SampledKind kind, String subject, HistorySpan span) {
    Instant from = RollUp.begin(span.from(), span.step());
    return database.read(
        handle ->
            RollUp.steps(
                RollUp.spaced(kind.between(handle, subject, from.minus(RollUp.MINUTE), span.to())),
                span.step(),
                from,
                span.to()));
  }

  private List<TimedSample> coarse(SampledKind kind, String subject, HistorySpan span) {
    if (!coarse.tryAcquire()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "this server reads %d long histories at a time; try again in a moment"
              .formatted(MAX_COARSE));
    }
    try {
      return summed(kind, subject, span);
    } finally {
      coarse.release();
    }
  }

  // Thirty days are 43,200 minutes, each with a weight for every queue node: they are summed up as
  // they are read, in transactions of their own.
  private List<TimedSample> summed(SampledKind kind, String subject, HistorySpan span) {
    Instant from = RollUp.begin(span.from(), span.step());
    // Read first: a minute that is added up after that is computed once more, not left out.
    Instant next =
        database
            .read(handle -> MinuteDao.last(handle, kind, subject, span.to()))
            .map(last -> last.plus(RollUp.MINUTE))
            .filter(after -> after.isAfter(from))
            .orElse(from);
    RollUp.Steps steps = new RollUp.Steps(span.step(), from, span.to());
    for (Instant at = from; at.isBefore(next); at = at.plus(PIECE)) {
      Instant begin = at;
      Instant end = at.plus(PIECE).isBefore(next) ? at.plus(PIECE) : next;
      database
          .read(handle -> MinuteDao.between(handle, kind, subject, begin, end))
          .forEach(steps::add);
    }
    // The last minutes are not added up yet.
    if (next.isBefore(span.to())) {
      database
          .read(handle -> SampleKeeping.minutes(handle, kind, subject, next, span.to()))
          .forEach(steps::add);
    }
    return steps.result();
  }
}
