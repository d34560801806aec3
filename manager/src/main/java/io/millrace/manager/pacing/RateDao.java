package io.millrace.manager.pacing;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/**
 * The rate buckets of segments. Stateless; runs in the transaction of a caller who holds the
 * queue's lock.
 */
public final class RateDao {
  private static final int CHUNK = 1_000;

  private RateDao() {}

  /**
   * Deletes some buckets that were not used since then.
   *
   * @return whether more may be left
   */
  public static boolean forgetSome(Handle handle, Instant before) {
    return handle
            .createUpdate("delete from pacing_rate where filled_at < :before limit :limit")
            .bind("before", before)
            .bind("limit", CHUNK)
            .execute()
        == CHUNK;
  }

  /** Removes what there is of a deleted queue. */
  public static void remove(Handle handle, String queue) {
    handle
        .createUpdate("delete from pacing_rate where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  public static Optional<RateBucket> find(Handle handle, String queue, String node) {
    return handle
        .createQuery(
            """
            select tokens, filled_at
            from pacing_rate
            where queue = :queue and node = :node
            """)
        .bind("queue", queue)
        .bind("node", node)
        .map(ConstructorMapper.of(RateBucket.class))
        .findOne();
  }

  public static void put(Handle handle, String queue, String node, RateBucket bucket) {
    handle
        .createUpdate(
            """
            insert into pacing_rate (queue, node, tokens, filled_at)
            values (:queue, :node, :tokens, :filledAt)
            on duplicate key update tokens = values(tokens), filled_at = values(filled_at)
            """)
        .bind("queue", queue)
        .bind("node", node)
        .bind("tokens", bucket.tokens())
        .bind("filledAt", bucket.filledAt())
        .execute();
  }

  /**
   * A token bucket: the number of events for which workers of one segment may still be started
   * under its share of the queue's {@code maxEventsPerSecond}. Pure.
   *
   * @param tokens events; never more than the burst
   * @param filledAt when it was last filled, by the database's clock
   */
  record RateBucket(double tokens, Instant filledAt) {
    /** A full bucket, for a new segment. */
    static RateBucket full(double burst, Instant now) {
      return new RateBucket(burst, now);
    }

    /** The bucket refilled up to now; a clock that was set back changes nothing. */
    RateBucket filled(double perSecond, double burst, Instant now) {
      double seconds = Math.max(0, Duration.between(filledAt, now).toNanos() / 1e9);
      return new RateBucket(Math.min(burst, tokens + seconds * perSecond), now);
    }

    /** How many of the wanted workers the tokens suffice for. */
    int workers(int wanted, int capacity, double waiting) {
      if (events(wanted, capacity, waiting) <= tokens) {
        return wanted;
      }
      return (int) Math.max(0, Math.min(wanted, Math.floor(tokens / capacity)));
    }

    /** Events that this number of workers take: at most those waiting, at least one each. */
    static double events(int workers, int capacity, double waiting) {
      return Math.min((double) workers * capacity, Math.max(workers, waiting));
    }

    RateBucket without(double events) {
      return new RateBucket(tokens - events, filledAt);
    }
  }
}
