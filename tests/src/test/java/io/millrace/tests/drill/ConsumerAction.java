package io.millrace.tests.drill;

import java.util.random.RandomGenerator;

/** What a consumer does with the events of a lease. */
enum ConsumerAction {
  /** Acknowledges them all. */
  DILIGENT(82),
  /** Gives half of them back, as lost without their fault. */
  RETURNING(5),
  /** Gives half of them back as failed. */
  FAILING(4),
  /** Says nothing more of them. */
  DYING(3),
  /** Acknowledges them after the lease. */
  SLOW(2),
  /** Extends the lease and acknowledges after the first one would have expired. */
  EXTENDING(4);

  private final int weight;

  ConsumerAction(int weight) {
    this.weight = weight;
  }

  static ConsumerAction any(RandomGenerator random) {
    int left = random.nextInt(100);
    for (ConsumerAction manner : values()) {
      left -= manner.weight;
      if (left < 0) {
        return manner;
      }
    }
    throw new IllegalStateException("the weights sum to 100");
  }
}
