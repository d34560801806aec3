/** Queues and their managers on a virtual clock: the published tables, curves and charts. */
package io.millrace.simulator.pacing;
