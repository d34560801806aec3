package io.millrace.queuenode.load;

/**
 * One measurement, each 0 to 1.
 *
 * @param cpu share of the machine's processors that the process used
 * @param store share of wall time that the store's writer worked
 */
public record LoadSample(double cpu, double store) {}
