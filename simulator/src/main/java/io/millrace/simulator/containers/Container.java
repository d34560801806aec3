package io.millrace.simulator.containers;

/**
 * A fixed set of consumers of one kind on a node (H-260).
 *
 * @param type index of the kind
 * @param consumers how many
 * @param readyAt step from which they work
 */
record Container(int type, int consumers, long readyAt) {}
