package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What placement looks at: one pool at one moment.
 *
 * @param pool name of the pool
 * @param now the moment, by the database's clock
 * @param lines waiting jobs by shape
 * @param nodes employed nodes that serve the pool
 * @param licences consumables of the cluster, by name
 * @param shares how far each share has come; one that is missing is new, of weight 1
 * @param virtualTime how far the pool has come: whoever was away begins there
 * @param tests what shapes require
 * @param settings how age and width are weighed
 */
@Pure
public record PlacementSnapshot(
    String pool,
    Instant now,
    List<ShapeQueue> lines,
    List<PlacementNode> nodes,
    Map<String, LicenceStock> licences,
    Map<String, ShareTurn> shares,
    double virtualTime,
    NodeTests tests,
    PlacementSettings settings) {
  public PlacementSnapshot {
    lines = List.copyOf(lines);
    nodes = List.copyOf(nodes);
    licences = Map.copyOf(licences);
    shares = Map.copyOf(shares);
  }
}
