package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.WaitCode;
import io.millrace.tests.drill.check.ClusterSample.Node;
import io.millrace.tests.drill.check.ClusterSample.WaitingJob;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdleSlotsTest {
  private final List<ClusterSample> samples = new ArrayList<>();
  private final List<Injected> faults = new ArrayList<>();

  @Test
  void aJobThatWaitsWhileASlotIsFreeIsReportedOnce() {
    show(0, 30, 1, WaitCode.SOON);
    assertThat(violations()).singleElement().asString().contains("job 7", "e1", "from 0.00");
  }

  @Test
  void aWrongWaitReasonDoesNotHideAnIdleSlot() {
    show(0, 30, 1, WaitCode.NO_SLOT);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void aShortWaitIsAccepted() {
    show(0, 15, 1, WaitCode.SOON);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLostOrFullNodeHasNoIdleSlot() {
    show(0, 12, 1, WaitCode.SOON);
    show(13, 14, 0, WaitCode.NO_SLOT);
    show(15, 28, 1, WaitCode.SOON);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aJobThatWaitsForAnotherReasonIsAccepted() {
    show(0, 60, 1, WaitCode.LICENCE);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aJobWithoutAnExplanationIsNotChecked() {
    show(0, 60, 1);
    assertThat(violations()).isEmpty();
  }

  @Test
  void timeOfAnOutageIsNotCounted() {
    faults.add(new Injected("kill", Set.of("database"), 10, 18));
    show(0, 30, 1, WaitCode.NO_DISPATCH);
    assertThat(violations()).isEmpty();
    show(31, 35, 1, WaitCode.NO_DISPATCH);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void timeWithoutSamplesIsNotCounted() {
    show(0, 10, 1, WaitCode.SOON);
    show(20, 34, 1, WaitCode.SOON);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aWideJobNeedsThatManyFreeSlots() {
    show(0, 30, 2, WaitCode.SOON);
    assertThat(violations(Map.of(7L, 3))).isEmpty();
    assertThat(violations(Map.of(7L, 2))).hasSize(1);
  }

  private void show(int from, int until, int free, WaitCode... codes) {
    for (int second = from; second <= until; second++) {
      samples.add(
          new ClusterSample(
              second,
              RecordedJob.database(second),
              List.of(new Node("e1", false, free), new Node("e2", true, 8)),
              List.of(new WaitingJob(7, Set.of(codes)))));
    }
  }

  private List<String> violations() {
    return violations(Map.of());
  }

  private List<String> violations(Map<Long, Integer> slots) {
    return IdleSlots.violations(samples, new Availability(faults, List.of("c1")), slots, 15, 8);
  }
}
