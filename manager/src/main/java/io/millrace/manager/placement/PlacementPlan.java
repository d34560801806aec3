package io.millrace.manager.placement;

import java.util.List;
import java.util.Map;

/**
 * What placement decided.
 *
 * @param placements in dispatch order
 * @param unplaceable jobs that no node could take even when empty, with the reason for people
 */
public record PlacementPlan(List<Placement> placements, Map<Long, String> unplaceable) {
  public PlacementPlan {
    placements = List.copyOf(placements);
    unplaceable = Map.copyOf(unplaceable);
  }
}
