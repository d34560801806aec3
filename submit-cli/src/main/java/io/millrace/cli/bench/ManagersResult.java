package io.millrace.cli.bench;

/**
 * What very many queue managers cost.
 *
 * @param managers how many
 * @param seconds how long was measured
 * @param decisionsPerTick decisions recorded in the time of one tick
 * @param executionNodeCores processors that the node which runs the managers kept busy
 * @param centralManagerCores the same of the central manager, its database in its own process
 * @param queueNodeCores the same of the node that holds the segments
 */
record ManagersResult(
    int managers,
    double seconds,
    double decisionsPerTick,
    double executionNodeCores,
    double centralManagerCores,
    double queueNodeCores) {}
