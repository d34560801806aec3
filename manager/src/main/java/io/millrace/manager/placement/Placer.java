package io.millrace.manager.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Places by priority, then age, each job on the node with most free slots, so that the load spreads
 * (M-02). A job that doesn't fit now is passed over and later ones that fit go first; nothing is
 * reserved for it. Stateless and deterministic; each job costs the logarithm of the nodes.
 */
public final class Placer {
  private Placer() {}

  /** Decides; never books more slots than are free, and no job twice. */
  public static PlacementPlan place(PlacementSnapshot snapshot) {
    FreeSlots free = new FreeSlots(snapshot.nodes());
    List<Placement> placements = new ArrayList<>();
    Map<Long, String> unplaceable = new HashMap<>();
    for (ReadyJob job : inOrder(snapshot.jobs())) {
      if (job.slots() > free.widestNode()) {
        unplaceable.put(job.id(), tooWide(snapshot.pool(), job.slots(), free.widestNode()));
      } else {
        free.take(job.slots(), job.near())
            .ifPresent(node -> placements.add(new Placement(job.id(), node.id(), node.name())));
      }
    }
    return new PlacementPlan(placements, unplaceable);
  }

  // A stable sort: the snapshot's order is the age.
  private static List<ReadyJob> inOrder(List<ReadyJob> jobs) {
    return jobs.stream()
        .sorted(Comparator.comparingInt(ReadyJob::priority).reversed())
        .distinct()
        .toList();
  }

  private static String tooWide(String pool, int slots, int widest) {
    return widest == 0
        ? "no execution node serves pool " + pool
        : "needs " + slots + " slots; the largest node of pool " + pool + " has " + widest;
  }
}
