package io.millrace.cli.bench;

/**
 * A node with a backlog; the fields are those of {@code --json}.
 *
 * @param events waiting
 * @param payload bytes of data of each
 * @param batch events in a request
 * @param maxHeapMegabytes what the node may take
 * @param liveHeapMegabytes what its objects take after a collection, with all events waiting
 * @param emptyHeapMegabytes the same before the first event
 * @param emptyPutPerSecond events put per second into the empty node
 * @param fullPutPerSecond events put per second on top of the backlog
 * @param ratio full to empty
 */
record BacklogResult(
    long events,
    int payload,
    int batch,
    long maxHeapMegabytes,
    long liveHeapMegabytes,
    long emptyHeapMegabytes,
    long emptyPutPerSecond,
    long fullPutPerSecond,
    double ratio) {}
