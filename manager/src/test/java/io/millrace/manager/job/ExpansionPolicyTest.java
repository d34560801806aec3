package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.job.ExpansionPolicy.Expandable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ExpansionPolicyTest {
  @Test
  void waitingElementsAreToppedUpWhenHalfHaveStarted() {
    assertThat(ExpansionPolicy.quotas(List.of(new Expandable(1, 0, 0, 0, 10_000)), 400))
        .containsEntry(1L, 400);
    assertThat(ExpansionPolicy.quotas(List.of(new Expandable(1, 0, 300, 100, 10_000)), 400))
        .isEmpty();
    assertThat(ExpansionPolicy.quotas(List.of(new Expandable(1, 0, 150, 100, 10_000)), 400))
        .containsEntry(1L, 250);
  }

  @Test
  void anArrayWithALimitIsToppedUpAtOnce() {
    assertThat(ExpansionPolicy.quotas(List.of(new Expandable(1, 5, 1, 3, 100)), 400))
        .containsEntry(1L, 1);
    assertThat(ExpansionPolicy.quotas(List.of(new Expandable(1, 5, 2, 3, 100)), 400)).isEmpty();
  }

  @Test
  void allArraysTogetherStayWithinOneExpansionAndShareItEqually() {
    List<Expandable> arrays = new ArrayList<>();
    for (long id = 1; id <= 10; id++) {
      arrays.add(new Expandable(id, 0, 0, 0, 10_000));
    }
    Map<Long, Integer> quotas = ExpansionPolicy.quotas(arrays, 10_000);
    assertThat(quotas).hasSize(10);
    assertThat(quotas.values()).containsOnly(ExpansionPolicy.MAX / 10);
  }

  @Property
  void noLimitIsEverExceeded(
      @ForAll @Size(max = 30) List<@IntRange(max = 600) Integer> figures,
      @ForAll @IntRange(min = 1, max = 2000) int capacity) {
    List<Expandable> arrays = new ArrayList<>();
    for (int i = 0; i + 3 < figures.size(); i += 4) {
      arrays.add(
          new Expandable(
              i, figures.get(i), figures.get(i + 1), figures.get(i + 2), figures.get(i + 3)));
    }
    Map<Long, Integer> quotas = ExpansionPolicy.quotas(arrays, capacity);
    int sum = 0;
    for (Expandable array : arrays) {
      int quota = quotas.getOrDefault(array.array(), 0);
      sum += quota;
      assertThat((long) quota).isBetween(0L, array.available());
      if (quota > 0) {
        assertThat(array.waiting() + quota).isLessThanOrEqualTo(ExpansionPolicy.LOOK_AHEAD);
        if (array.limit() > 0) {
          assertThat(array.waiting() + array.live() + quota).isLessThanOrEqualTo(array.limit());
        }
      }
    }
    assertThat(sum).isLessThanOrEqualTo(ExpansionPolicy.MAX);
  }
}
