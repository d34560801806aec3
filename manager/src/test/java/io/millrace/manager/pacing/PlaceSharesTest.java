package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.pacing.PlaceShares.ShareRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PlaceSharesTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static ShareRequest content(int points, int outstanding) {
    return new ShareRequest(points, outstanding, 0, null);
  }

  private static ShareRequest lacking(int points, int outstanding, int unmet, int since) {
    return new ShareRequest(points, outstanding, unmet, START.plusSeconds(since));
  }

  @Test
  void aSegmentMayUseAllWorkersWhenNoOtherLacksAny() {
    assertThat(PlaceShares.allowed(20, 5, content(100, 5), List.of())).isEqualTo(15);
  }

  @Test
  void freeWorkersAreReservedForASegmentBelowItsShare() {
    List<ShareRequest> starving = List.of(lacking(500, 0, 8, 0));

    assertThat(PlaceShares.allowed(10, 8, content(500, 8), starving)).isZero();
    assertThat(PlaceShares.allowed(10, 4, content(500, 4), starving)).isEqualTo(1);
  }

  @Test
  void atMostTheShareAndTheDemandAreReserved() {
    assertThat(PlaceShares.allowed(10, 6, content(900, 6), List.of(lacking(100, 0, 8, 0))))
        .isEqualTo(3);
    assertThat(PlaceShares.allowed(10, 2, content(100, 2), List.of(lacking(900, 0, 2, 0))))
        .isEqualTo(6);
  }

  @Test
  void theSegmentWaitingLongestGetsItsShareAndNoMore() {
    ShareRequest longest = lacking(500, 2, 20, 0);
    List<ShareRequest> younger = List.of(lacking(500, 2, 20, 5));

    assertThat(PlaceShares.allowed(10, 4, longest, younger)).isEqualTo(3);
  }

  /** Segments that always want more, each at its own time of the tick, as managers decide. */
  @Property(tries = 200)
  void everySegmentGetsItsShareWhoeverDecidesFirst(
      @ForAll @Size(min = 2, max = 6) List<@IntRange(min = 1, max = 999) Integer> points,
      @ForAll @IntRange(min = 1, max = 60) int max) {
    int segments = points.size();
    int[] outstanding = new int[segments];
    Integer[] since = new Integer[segments];
    int[] had = new int[segments];
    int ticks = 60;
    for (int tick = 0; tick < ticks; tick++) {
      for (int one = 0; one < segments; one++) {
        // A worker lasts a tick.
        outstanding[one] = 0;
        int self = one;
        List<ShareRequest> others = new ArrayList<>();
        IntStream.range(0, segments)
            .filter(other -> other != self && since[other] != null)
            .forEach(o -> others.add(lacking(points.get(o), outstanding[o], max, since[o])));
        ShareRequest own =
            since[one] == null
                ? content(points.get(one), 0)
                : lacking(points.get(one), 0, max, since[one]);
        int all = Arrays.stream(outstanding).sum();
        int started = PlaceShares.allowed(max, all, own, others);
        outstanding[one] = started;
        had[one] += started;
        if (started > 0 || since[one] == null) {
          since[one] = tick * segments + one;
        }
        assertThat(Arrays.stream(outstanding).sum()).isLessThanOrEqualTo(max);
      }
    }
    assertThat(had).as("nobody starves").doesNotContain(0);
    int total = points.stream().mapToInt(Integer::intValue).sum();
    double[] shares = points.stream().mapToDouble(one -> (double) max * one / total).toArray();
    // With more shares of one place than there are places, segments take turns.
    if (Arrays.stream(shares).map(share -> Math.max(1, share)).sum() <= max) {
      for (int one = 0; one < segments; one++) {
        assertThat((double) had[one] / ticks)
            .as("places of segment %d of %s under %d", one, points, max)
            .isGreaterThan(0.8 * Math.floor(shares[one]));
      }
    }
  }
}
