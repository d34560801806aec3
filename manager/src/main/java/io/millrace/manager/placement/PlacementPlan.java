package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.List;
import java.util.Map;

/**
 * What placement decided.
 *
 * @param placements in dispatch order
 * @param charges what the starts cost each share
 * @param waiting why lines that are left wait
 */
@Pure
public record PlacementPlan(
    List<Placement> placements, Map<String, ShareCharge> charges, List<ShapeVerdict> waiting) {
  public PlacementPlan {
    placements = List.copyOf(placements);
    charges = Map.copyOf(charges);
    waiting = List.copyOf(waiting);
  }
}
