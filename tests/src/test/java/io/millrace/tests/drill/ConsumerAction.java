package io.millrace.tests.drill;

import java.util.random.RandomGenerator;

/** What a consumer does with the events of a lease. */
enum ConsumerAction {
  /** Acknowledges all of them. */
  DILIGENT(82),
  /** Returns half of them as lost deliveries. */
  RETURNING(5),
  /** Returns half of them as failed. */
  FAILING(4),
  /** Abandons them. */
  DYING(3),
  /** Acknowledges them after the lease has expired. */
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
    throw new IllegalStateException("the weights must sum to 100");
  }
}
