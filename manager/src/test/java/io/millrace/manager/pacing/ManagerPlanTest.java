package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.pacing.ManagerPlan.LiveManager;
import io.millrace.manager.pacing.QueueManagerSupervision.SegmentNeeds;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManagerPlanTest {
  private static final SegmentKey ALERT_Q1 = new SegmentKey("alert", "q1");
  private static final SegmentKey ALERT_Q2 = new SegmentKey("alert", "q2");

  @Test
  void everySegmentInNeedWithoutAManagerGetsOne() {
    ManagerPlan plan =
        ManagerPlan.of(Set.of(ALERT_Q2, ALERT_Q1), List.of(new LiveManager(7, ALERT_Q2)));

    assertThat(plan.create()).containsExactly(ALERT_Q1);
    assertThat(plan.end()).isEmpty();
  }

  @Test
  void unneededManagersEnd() {
    ManagerPlan plan =
        ManagerPlan.of(
            Set.of(ALERT_Q1), List.of(new LiveManager(6, ALERT_Q1), new LiveManager(7, ALERT_Q2)));

    assertThat(plan.create()).isEmpty();
    assertThat(plan.end()).containsExactly(7L);
  }

  @Test
  void theOlderOfTwoManagersOfASegmentRemains() {
    ManagerPlan plan =
        ManagerPlan.of(
            Set.of(ALERT_Q1), List.of(new LiveManager(9, ALERT_Q1), new LiveManager(8, ALERT_Q1)));

    assertThat(plan.create()).isEmpty();
    assertThat(plan.end()).containsExactly(9L);
  }

  @Test
  void theSamePlanIsEmptyOnceItIsCarriedOut() {
    ManagerPlan plan = ManagerPlan.of(Set.of(ALERT_Q1), List.of(new LiveManager(8, ALERT_Q1)));

    assertThat(plan).isEqualTo(new ManagerPlan(List.of(), List.of()));
  }

  @Test
  void segmentsWithPointsOrUnfinishedEventsNeedAManagerUnlessTheirNodeIsLost() {
    assertThat(
            SegmentNeeds.of(
                Set.of("alert"),
                List.of(new QueueWeights("alert", 3, Map.of("q1", 1000))),
                List.of(segment("q1", 0), segment("q2", 4), segment("q3", 0), segment("q4", 4)),
                Set.of("q4")))
        .containsExactlyInAnyOrder(ALERT_Q1, ALERT_Q2);
  }

  @Test
  void queuesWithoutAWorkerNeedNoManager() {
    assertThat(
            SegmentNeeds.of(
                Set.of("order"),
                List.of(new QueueWeights("alert", 3, Map.of("q1", 1000))),
                List.of(segment("q1", 9)),
                Set.of()))
        .isEmpty();
  }

  private static SegmentFigures segment(String node, long leased) {
    return new SegmentFigures(
        "alert", node, 0, 3, 0, 0, leased, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), null, null);
  }
}
