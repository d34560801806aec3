package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.manager.placement.FreeCapacity.Licences;
import io.millrace.manager.placement.PlacementPlan.JobVerdict;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import java.util.Comparator;
import java.util.List;

/** Says of one job what each node of its pool has against it, by the rules of {@link Placer}. */
@Pure
public final class Verdicts {
  private Verdicts() {}

  /**
   * The verdict on a job as if it were alone; pure.
   *
   * @param snapshot its pool; the lines don't matter
   * @param shape what it asks for
   * @param near the queue node it prefers; null for none
   * @param definition what earlier runs of the same are found by
   */
  public static JobVerdict of(
      PlacementSnapshot snapshot, Shape shape, String near, String definition) {
    List<FreeCapacity> rooms = snapshot.nodes().stream().map(FreeCapacity::new).toList();
    Licences licences = new Licences(snapshot.licences());
    WaitMessages words = new WaitMessages(snapshot.pool(), rooms, licences);
    ShapeCandidate contender = new ShapeCandidate(shape, snapshot.tests().of(shape), rooms);
    ReadyJob job = new ReadyJob(0, snapshot.now(), near, definition);
    List<NodeVerdict> nodes =
        rooms.stream()
            .map(room -> new NodeVerdict(room.node().name(), words.why(contender, job, room)))
            .sorted(Comparator.comparing(NodeVerdict::node))
            .toList();
    if (!licences.enough(shape)) {
      return new JobVerdict(words.lackingLicence(shape), nodes);
    }
    boolean taken = nodes.stream().anyMatch(node -> node.reason() == null);
    return new JobVerdict(taken ? null : words.why(contender, job), nodes);
  }
}
