/**
 * Tells the central managers and the cluster view about this queue node, every second. Called by
 * {@code node}.
 */
package io.millrace.queuenode.report;
