/** Queues and their managers on a virtual clock: the published tables and curves. */
package io.millrace.simulator.pacing;
