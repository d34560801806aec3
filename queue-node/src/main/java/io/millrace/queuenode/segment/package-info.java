/**
 * The segments of a queue node as its API offers them: the store, the topology that the node
 * follows, and waiting for events. Called by {@code web}, {@code report} and {@code node}.
 */
package io.millrace.queuenode.segment;
