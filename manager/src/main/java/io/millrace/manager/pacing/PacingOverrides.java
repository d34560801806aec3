package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Temporary overrides of a queue's pacing by operators. They expire by the database's clock.
 * Thread-safe; every method blocks on the database.
 */
public final class PacingOverrides {
  private static final Duration LONGEST = Duration.ofDays(30);
  private static final int LONGEST_REASON = 1_000;

  private final Database database;
  private final DatabaseTime time;
  private final QueueDefinitions definitions;

  public PacingOverrides(Database database, QueueDefinitions definitions) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
  }

  /**
   * Sets an override; an earlier one ends.
   *
   * @throws MillraceException UNKNOWN_QUEUE, INVALID_REQUEST
   */
  public PacingOverride set(String queue, OverrideRequest request, String actor) {
    PacingDefinition pacing = definitions.require(queue).definition().pacing();
    check(request);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          PacingOverride override =
              new PacingOverride(
                  queue,
                  request.maxWorkers(),
                  request.waitTarget(),
                  now.plus(request.duration()),
                  actor,
                  now,
                  request.reason(),
                  null,
                  null,
                  null,
                  null);
          OverrideDao.end(handle, queue, actor, now);
          OverrideDao.add(handle, override);
          return override.inPlaceOf(pacing);
        });
  }

  /** Ends the override; false when there was none. */
  public boolean end(String queue, String actor) {
    definitions.require(queue);
    return database.transaction(handle -> OverrideDao.end(handle, queue, actor, time.now(handle)));
  }

  /** A queue's latest overrides, newest first, including ended ones. */
  public List<PacingOverride> newest(String queue, int limit) {
    definitions.require(queue);
    return database.read(handle -> OverrideDao.newest(handle, queue, limit));
  }

  private static void check(OverrideRequest request) {
    require(
        request.maxWorkers() != null || request.waitTarget() != null,
        "give maxWorkers, waitTarget or both");
    require(
        request.maxWorkers() == null || request.maxWorkers() > 0,
        "maxWorkers must be at least 1; 'millrace queue pause NAME --consuming' stops all workers");
    require(
        request.waitTarget() == null || request.waitTarget().compareTo(Duration.ofMillis(100)) >= 0,
        "waitTarget must be at least 100ms");
    Duration duration = request.duration();
    require(
        duration != null
            && duration.compareTo(Duration.ofSeconds(1)) >= 0
            && duration.compareTo(LONGEST) <= 0,
        "for must be from 1s to 30d; for a lasting change apply a new definition of the queue");
    require(
        request.reason() == null || request.reason().length() <= LONGEST_REASON,
        "a reason may have at most %d characters".formatted(LONGEST_REASON));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
