package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Instant;
import java.util.Collection;

/**
 * Divides the places under {@code maxWorkers} among the segments of a queue while there are fewer
 * than they want. Whoever decides first would have them all otherwise, again and again, because
 * ticks keep their order.
 *
 * <p>A segment's share goes by its weight among those that lack places. What one of them lacks of
 * its share is kept for it: from others that have theirs, and from those that got places later. The
 * one that has got none for longest finds nothing kept from it, so that somebody always goes on,
 * and where there are fewer places than segments they take turns. Pure arithmetic; thread-safe.
 */
@Pure
public final class PlaceShares {
  private PlaceShares() {}

  /**
   * One segment that wants places.
   *
   * @param points its weight, at least 1
   * @param outstanding workers that it has
   * @param unmet workers that it was kept from starting when it decided last
   * @param since since when it lacks places and has got none; null for one that lacks none
   */
  public record Claim(int points, int outstanding, int unmet, Instant since) {
    private boolean before(Claim other) {
      return since != null && (other.since == null || since.isBefore(other.since));
    }
  }

  /**
   * Workers that a segment may start now.
   *
   * @param most workers of the queue at once
   * @param outstanding workers that it has now, over all segments
   * @param own the segment that asks
   * @param others the other segments that lack places
   */
  public static int allowed(int most, int outstanding, Claim own, Collection<Claim> others) {
    int points = own.points() + others.stream().mapToInt(Claim::points).sum();
    int keptFromAll = 0;
    int keptFromOwnShare = 0;
    for (Claim other : others) {
      int kept = Math.min(other.unmet(), lacks(other, most, points));
      keptFromAll += kept;
      keptFromOwnShare += other.before(own) ? kept : 0;
    }
    int free = Math.max(0, most - outstanding);
    int ofShare = Math.min(lacks(own, most, points), Math.max(0, free - keptFromOwnShare));
    return Math.max(ofShare, free - keptFromAll);
  }

  /** Places between what it has and its share, which is never less than one. */
  private static int lacks(Claim claim, int most, int points) {
    long share = Math.max(1, (long) most * claim.points() / points);
    return (int) Math.max(0, share - claim.outstanding());
  }
}
