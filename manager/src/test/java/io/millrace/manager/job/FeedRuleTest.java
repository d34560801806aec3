package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.job.ArrayExpander.FeedRule;
import io.millrace.manager.job.ArrayExpander.FeedRule.Hungry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FeedRuleTest {
  @Test
  void anArrayIsFilledUpAgainWhenHalfOfWhatWaitsIsGone() {
    assertThat(FeedRule.portions(List.of(new Hungry(1, 0, 0, 0, 10_000)), 400))
        .containsEntry(1L, 400);
    assertThat(FeedRule.portions(List.of(new Hungry(1, 0, 300, 100, 10_000)), 400)).isEmpty();
    assertThat(FeedRule.portions(List.of(new Hungry(1, 0, 150, 100, 10_000)), 400))
        .containsEntry(1L, 250);
  }

  @Test
  void aLimitIsFilledAtOnce() {
    assertThat(FeedRule.portions(List.of(new Hungry(1, 5, 1, 3, 100)), 400)).containsEntry(1L, 1);
    assertThat(FeedRule.portions(List.of(new Hungry(1, 5, 2, 3, 100)), 400)).isEmpty();
  }

  @Test
  void arraysTogetherGetNoMoreThanOneFeedingAndEachItsShare() {
    List<Hungry> arrays = new ArrayList<>();
    for (long id = 1; id <= 10; id++) {
      arrays.add(new Hungry(id, 0, 0, 0, 10_000));
    }
    Map<Long, Integer> portions = FeedRule.portions(arrays, 10_000);
    assertThat(portions).hasSize(10);
    assertThat(portions.values()).containsOnly(FeedRule.MOST / 10);
  }

  @Property
  void nothingIsEverExceeded(
      @ForAll @Size(max = 30) List<@IntRange(max = 600) Integer> figures,
      @ForAll @IntRange(min = 1, max = 2000) int room) {
    List<Hungry> arrays = new ArrayList<>();
    for (int i = 0; i + 3 < figures.size(); i += 4) {
      arrays.add(
          new Hungry(
              i, figures.get(i), figures.get(i + 1), figures.get(i + 2), figures.get(i + 3)));
    }
    Map<Long, Integer> portions = FeedRule.portions(arrays, room);
    int sum = 0;
    for (Hungry array : arrays) {
      int portion = portions.getOrDefault(array.array(), 0);
      sum += portion;
      assertThat((long) portion).isBetween(0L, array.available());
      if (portion > 0) {
        assertThat(array.waiting() + portion).isLessThanOrEqualTo(FeedRule.LOOK_AHEAD);
        if (array.limit() > 0) {
          assertThat(array.waiting() + array.live() + portion).isLessThanOrEqualTo(array.limit());
        }
      }
    }
    assertThat(sum).isLessThanOrEqualTo(FeedRule.MOST);
  }
}
