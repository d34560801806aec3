package io.millrace.manager.dispatch;

import io.millrace.manager.job.ArrayFeed;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Brings waiting jobs into lines bit by bit that would be too many at once: arrays. Thread-safe.
 */
public interface ShapeQueueFeed {
  /** Feeds nothing. */
  ShapeQueueFeed NONE =
      new ShapeQueueFeed() {
        @Override
        public List<String> pools(Handle handle) {
          return List.of();
        }

        @Override
        public int feed(Handle handle, String pool, int room, Instant now) {
          return 0;
        }
      };

  /** The arrays. */
  static ShapeQueueFeed of(ArrayFeed arrays) {
    return new ShapeQueueFeed() {
      @Override
      public List<String> pools(Handle handle) {
        return arrays.pools(handle);
      }

      @Override
      public int feed(Handle handle, String pool, int room, Instant now) {
        return arrays.feed(handle, pool, room, now);
      }
    };
  }

  /** Pools that it has jobs for. */
  List<String> pools(Handle handle);

  /**
   * Adds some of a pool, in a transaction that has locked its dispatch claim.
   *
   * @param room how many may be placed soon
   * @return how many were added
   */
  int feed(Handle handle, String pool, int room, Instant now);
}
