/**
 * The segments of this node: which queues have one, what requests do to it, who waits for events,
 * and the commands that run when a segment comes or goes.
 */
package io.millrace.queuenode.segment;
