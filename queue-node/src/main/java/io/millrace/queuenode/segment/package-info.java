/**
 * The segments of this node: which queues have one, requests to it, waiting callers, and the
 * commands that run when a segment opens or closes.
 */
package io.millrace.queuenode.segment;
