package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Instant;
import java.util.Collection;

/**
 * Divides the workers allowed by {@code maxWorkers} among the segments of a queue while they
 * request more. Otherwise the segment that decides first would get all of them every time, because
 * ticks keep their order.
 *
 * <p>A segment's share is its weight among the segments with unmet demand. What a segment lacks of
 * its share is reserved for it: against segments that have theirs, and against those that got
 * workers more recently. Nothing is reserved against the segment that has waited longest, so that
 * one always proceeds, and where there are fewer workers than segments they take turns. Pure
 * arithmetic; thread-safe.
 */
@Pure
final class PlaceShares {
  private PlaceShares() {}

  /**
   * A segment that requests workers.
   *
   * @param points its weight, at least 1
   * @param outstanding workers that it has
   * @param unmet workers that it could not start at its last decision
   * @param since since when it has had unmet demand without getting a worker; null for none
   */
  public record ShareRequest(int points, int outstanding, int unmet, Instant since) {
    private boolean before(ShareRequest other) {
      return since != null && (other.since == null || since.isBefore(other.since));
    }
  }

  /**
   * Workers that a segment may start now.
   *
   * @param max maximum of workers of the queue
   * @param outstanding workers that the queue has now, over all segments
   * @param own the segment that asks
   * @param others the other segments with unmet demand
   */
  public static int allowed(
      int max, int outstanding, ShareRequest own, Collection<ShareRequest> others) {
    int points = own.points() + others.stream().mapToInt(ShareRequest::points).sum();
    int keptFromAll = 0;
    int keptFromOwnShare = 0;
    for (ShareRequest other : others) {
      int kept = Math.min(other.unmet(), lacks(other, max, points));
      keptFromAll += kept;
      keptFromOwnShare += other.before(own) ? kept : 0;
    }
    int free = Math.max(0, max - outstanding);
    int ofShare = Math.min(lacks(own, max, points), Math.max(0, free - keptFromOwnShare));
    return Math.max(ofShare, free - keptFromAll);
  }

  /** Workers between what it has and its share, which is at least one. */
  private static int lacks(ShareRequest request, int max, int points) {
    long share = Math.max(1, (long) max * request.points() / points);
    return (int) Math.max(0, share - request.outstanding());
  }
}
