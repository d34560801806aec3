package io.millrace.manager.node;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * The clock steps that central managers have noticed, each recorded once and kept for an hour. A
 * step of the database's clock also shifts the ends of maintenances and drains, which were given as
 * durations. Thread-safe; blocks on the database.
 */
public final class ClockSteps {
  private static final Duration KEPT = Duration.ofHours(1);
  // Several central managers notice the same step within a few seconds.
  private static final Duration SAME_TIME = Duration.ofSeconds(30);
  private static final Duration SAME_SIZE = Duration.ofSeconds(1);
  // A clock that is set repeatedly must not fill the log.
  private static final Duration ONE_OF_MANY = Duration.ofMinutes(1);

  /** The source of the clock by which everything is timed. */
  static final String DATABASE = "database";

  private final Database database;
  private final DatabaseTime time;
  private final ClockStepDao store = new ClockStepDao();
  private final RequestedEnds ends = new RequestedEnds();

  public ClockSteps(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /** Steps of the last hour, newest first. */
  public List<ClockStep> recent() {
    return database.read(
        handle -> {
          Instant now = time.now(handle);
          return store.between(handle, DATABASE, now.minus(KEPT), now.plus(SAME_TIME));
        });
  }

  /**
   * Records a step, unless another central manager has done so or the same clock stepped just
   * before; all steps of the database's clock are recorded.
   *
   * @return whether it was recorded
   */
  boolean record(String source, Duration step) {
    return database.transaction(
        handle -> {
          // Only one central manager at a time; the others then see what it recorded.
          ends.lock(handle);
          Instant now = time.now(handle);
          if (isKnown(handle, source, step, now)) {
            return false;
          }
          store.keep(handle, now.minus(KEPT), now.plus(SAME_TIME));
          store.insert(handle, new ClockStep(source, step, now));
          if (source.equals(DATABASE)) {
            ends.shift(handle, step);
          }
          return true;
        });
  }

  private boolean isKnown(Handle handle, String source, Duration step, Instant now) {
    if (!source.equals(DATABASE)) {
      return !store.of(handle, source, now.minus(ONE_OF_MANY), now.plus(SAME_TIME)).isEmpty();
    }
    return store.of(handle, source, now.minus(SAME_TIME), now.plus(SAME_TIME)).stream()
        .anyMatch(known -> known.step().minus(step).abs().compareTo(SAME_SIZE) <= 0);
  }

  /**
   * A step of a clock, as it was noticed.
   *
   * @param source whose clock: {@code database}, {@code central manager c1} or {@code execution
   *     node e1}
   * @param step its size; negative for backwards
   * @param noticedAt by the database's clock
   */
  public record ClockStep(String source, Duration step, Instant noticedAt) {}

  /** The ends of drains and maintenances. Stateless; runs in the caller's transaction. */
  private static final class RequestedEnds {
    private final RequestedStatusDao store = new RequestedStatusDao();

    /** Locks all nodes, by id. */
    void lock(Handle handle) {
      store.lock(handle);
    }

    /** Shifts every end by a step of the database's clock, so that none comes early or late. */
    void shift(Handle handle, Duration step) {
      store.ends(handle).forEach((id, until) -> store.postpone(handle, id, until.plus(step)));
    }
  }
}
