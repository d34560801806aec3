package io.millrace.simulator.pacing;

/** The running workers of the queue. Used by one thread. */
interface RunningWorkers {

  int running();

  /** Events that they hold. */
  long held();

  /** Events that they will take without any further worker. */
  long openCapacity();

  /** Smoothed steps in which a worker handles a full batch; negative while unknown. */
  double runSteps();

  /** Lets workers begin and take their first events. */
  void start(long step, int workers);

  /** Finishes what is done by now, and lets workers take more or leave. */
  void work(long step, double failing);
}
