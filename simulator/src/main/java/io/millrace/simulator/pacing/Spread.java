package io.millrace.simulator.pacing;

/** How single events fall around the expected rate. */
public enum Spread {
  /** At equal distances. */
  EVEN,
  /** At random, each independent of the others. */
  POISSON
}
