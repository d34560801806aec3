package io.millrace.tests.drill;

import java.util.ArrayList;
import java.util.List;

/**
 * A fault at a step of a weight change.
 *
 * @param step when it happens
 * @param before whether it happens before the step's message arrives, or after
 * @param victim what is hit
 */
record WeightChangeFault(WeightChangeStep step, boolean before, Victim victim) {
  /** What is hit. */
  enum Victim {
    /** The node that gives up weight is killed. */
    GIVER,
    /** The node that is asked to reserve capacity, or another candidate, is killed. */
    RECEIVER,
    /** The central manager that receives the request is killed. */
    CENTRAL,
    /** The connection is reset, and new ones are refused for a while. */
    LINK
  }

  /** Every combination. */
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
