package io.millrace.queuenode.load;

/**
 * One measurement, each 0 to 1.
 *
 * @param cpu share of the machine's processors that the process used
 * @param store share of wall time that the store's writer worked
 * @param disk share of wall time that some task of the machine stalled on a disk; null where the
 *     system does not tell
 */
public record LoadSample(double cpu, double store, Double disk) {
  /** A measurement on a machine that does not tell how long it waits for its disks. */
  public LoadSample(double cpu, double store) {
    this(cpu, store, null);
  }
}
