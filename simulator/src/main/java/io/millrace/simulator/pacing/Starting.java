package io.millrace.simulator.pacing;

import java.util.ArrayDeque;

/** Workers submitted and not started, first come, first served. Used by one thread. */
final class Starting {
  private static final double SMOOTHING = 0.3;

  private final ArrayDeque<long[]> groups = new ArrayDeque<>();
  private int waiting;
  private double latencySteps = -1;

  int waiting() {
    return waiting;
  }

  /** Smoothed steps to a start, without those for want of a slot; negative while none started. */
  double latencySteps() {
    return latencySteps;
  }

  void submit(long step, long readyStep, int workers) {
    if (workers > 0) {
      groups.add(new long[] {step, readyStep, workers});
      waiting += workers;
    }
  }

  /** Starts those that are ready, as far as slots are free. */
  int start(long step, int free) {
    int started = 0;
    while (started < free && !groups.isEmpty() && groups.peekFirst()[1] <= step) {
      long[] first = groups.peekFirst();
      int part = (int) Math.min(free - started, first[2]);
      first[2] -= part;
      started += part;
      measure(first[1] - first[0]);
      if (first[2] == 0) {
        groups.removeFirst();
      }
    }
    waiting -= started;
    return started;
  }

  private void measure(long steps) {
    latencySteps = latencySteps < 0 ? steps : latencySteps + SMOOTHING * (steps - latencySteps);
  }
}
