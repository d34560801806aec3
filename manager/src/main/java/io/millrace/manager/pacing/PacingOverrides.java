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
 * What operators set for a while in place of a queue's definition. It ends by the database's clock,
 * whether anybody looks or not. Thread-safe; every method blocks on the database.
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
   * Sets something for a while; what was set before ends.
   *
   * @throws MillraceException UNKNOWN_QUEUE, INVALID_REQUEST
   */
  public PacingOverride set(String queue, OverrideRequest request, String who) {
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
                  who,
                  now,
                  request.reason(),
                  null,
                  null,
                  null,
                  null);
          OverrideDao.end(handle, queue, who, now);
          OverrideDao.add(handle, override);
          return override.inPlaceOf(pacing);
        });
  }

  /** Ends what is set; false when nothing was. */
  public boolean end(String queue, String who) {
    definitions.require(queue);
    return database.transaction(handle -> OverrideDao.end(handle, queue, who, time.now(handle)));
  }

  /** A queue's latest, newest first, ended ones included: who set what, and until when. */
  public List<PacingOverride> newest(String queue, int limit) {
    definitions.require(queue);
    return database.read(handle -> OverrideDao.newest(handle, queue, limit));
  }

  private static void check(OverrideRequest request) {
    require(
        request.maxWorkers() != null || request.waitTarget() != null,
        "say maxWorkers, waitTarget or both: nothing is set now");
    require(
        request.maxWorkers() == null || request.maxWorkers() > 0,
        "maxWorkers is at least 1; 'millrace queue pause NAME --consuming' stops all workers");
    require(
        request.waitTarget() == null || request.waitTarget().compareTo(Duration.ofMillis(100)) >= 0,
        "waitTarget is at least 100ms");
    Duration duration = request.duration();
    require(
        duration != null
            && duration.compareTo(Duration.ofSeconds(1)) >= 0
            && duration.compareTo(LONGEST) <= 0,
        "for is 1s to 30d: what is to stay belongs in the queue's definition");
    require(
        request.reason() == null || request.reason().length() <= LONGEST_REASON,
        "a reason has at most " + LONGEST_REASON + " characters");
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
