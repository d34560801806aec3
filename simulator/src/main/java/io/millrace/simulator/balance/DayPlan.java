package io.millrace.simulator.balance;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.random.RandomGenerator;

/** The queue nodes of simulated days and the traffic of their queues. Immutable. */
public interface DayPlan {

  /** Number of queue nodes. */
  int nodes();

  /** Describes the plan. */
  String text();

  /** The second of the day at which a simulated day begins. */
  double begin();

  /**
   * The queues of one day.
   *
   * @param day number of the simulated day, from 1
   * @param random for what differs by chance
   */
  List<QueueProfile> queues(long day, RandomGenerator random);

  /**
   * A queue and its arrivals over a day.
   *
   * @param name of the queue
   * @param rates events per second at a second of the day; a day may end after midnight
   */
  record QueueProfile(String name, DoubleUnaryOperator rates) {
    double rate(double second) {
      return rates.applyAsDouble(second);
    }
  }
}
