package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PlacerTest {
  private static final OpenNode E1 = new OpenNode(new UUID(0, 1), "e1", "q1", 4, 4);
  private static final OpenNode E2 = new OpenNode(new UUID(0, 2), "e2", "q2", 4, 4);

  @Test
  void jobsSpreadOverTheNodesWithMostFreeSlots() {
    assertThat(nodesOf(job(1, null), job(2, null), job(3, null), job(4, null)))
        .containsExactly("e1", "e2", "e1", "e2");
  }

  @Test
  void aJobGoesBesideItsQueueNodeWhileThereIsRoom() {
    assertThat(nodesOf(job(1, "q2"), job(2, "q2"), job(3, "q2"), job(4, "q2"), job(5, "q2")))
        .containsExactly("e2", "e2", "e2", "e2", "e1");
  }

  @Test
  void aHigherPriorityGoesFirstAndAgeDecidesWithinOne() {
    PlacementSnapshot snapshot =
        new PlacementSnapshot(
            "default",
            List.of(new ReadyJob(1, 4, 0, null), new ReadyJob(2, 4, 5, null), job(3, null)),
            List.of(E1, E2));
    assertThat(Placer.place(snapshot).placements())
        .extracting(Placement::job)
        .containsExactly(2L, 1L);
  }

  @Test
  void aPoolWithoutNodesIsNamedInTheReason() {
    PlacementSnapshot snapshot = new PlacementSnapshot("gpu", List.of(job(1, null)), List.of());
    assertThat(Placer.place(snapshot).unplaceable())
        .containsEntry(1L, "no execution node serves pool gpu");
  }

  private static ReadyJob job(long id, String near) {
    return new ReadyJob(id, 1, 0, near);
  }

  private static List<String> nodesOf(ReadyJob... jobs) {
    return Placer.place(new PlacementSnapshot("default", List.of(jobs), List.of(E1, E2)))
        .placements()
        .stream()
        .map(Placement::nodeName)
        .toList();
  }
}
