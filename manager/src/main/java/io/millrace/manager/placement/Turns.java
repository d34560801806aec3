package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.manager.placement.PlacementPlan.ShareCharge;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import java.util.HashMap;
import java.util.Map;

/**
 * Stride scheduling over shares: each start moves its share forward by its cost over the share's
 * weight, and who has come least far goes first. A share that is new or was away begins where the
 * pool is, so that idling earns no credit. Not thread-safe; lives for one plan.
 */
@Pure
final class Turns {
  private static final ShareTurn NEW = new ShareTurn(1, 0);

  private final Map<String, ShareTurn> known;
  private final double virtualTime;
  private final Map<String, ShareCharge> charges = new HashMap<>();

  Turns(Map<String, ShareTurn> known, double virtualTime) {
    this.known = known;
    this.virtualTime = virtualTime;
  }

  double pass(String share) {
    ShareCharge charge = charges.get(share);
    return charge != null
        ? charge.pass()
        : Math.max(virtualTime, known.getOrDefault(share, NEW).pass());
  }

  void charge(Shape shape) {
    String share = shape.share();
    double from = pass(share);
    double weight = known.getOrDefault(share, NEW).weight();
    ShareCharge before = charges.get(share);
    charges.put(
        share,
        new ShareCharge(
            from + shape.cost() / weight,
            from,
            shape.slots() + (before == null ? 0 : before.slots())));
  }

  Map<String, ShareCharge> charges() {
    return charges;
  }
}
