package io.millrace.tests.drill;

import java.util.ArrayList;
import java.util.List;

/**
 * What happens at a step of a change of weights.
 *
 * @param step at which
 * @param before whether before the step's words arrive, or after
 * @param victim who is hit
 */
record WeightChangeFault(WeightChangeStep step, boolean before, Victim victim) {
  /** Who is hit. */
  enum Victim {
    /** The node that gives weight away is killed. */
    GIVER,
    /** The node that asks to keep room for it, or another that may, is killed. */
    RECEIVER,
    /** The central manager that is asked is killed. */
    CENTRAL,
    /** The connection is reset, and new ones refused for a while. */
    LINK
  }

  /** Every accident that there is. */
  static List<WeightChangeFault> all() {
    List<WeightChangeFault> all = new ArrayList<>();
    for (WeightChangeStep step : WeightChangeStep.values()) {
      for (Victim victim : Victim.values()) {
        boolean unknown =
            victim == Victim.CENTRAL && step.place() != WeightChangeStep.Place.GIVER_TO_CENTRAL;
        if (!unknown) {
          all.add(new WeightChangeFault(step, true, victim));
          all.add(new WeightChangeFault(step, false, victim));
        }
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return victim + (before ? " before " : " after ") + step;
  }
}
