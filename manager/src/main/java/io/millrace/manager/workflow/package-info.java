/**
 * Workflows: binding of their graphs, release of steps as what they need succeeds, and the run as a
 * whole. Steps run as elements of arrays of jobs; no process has to live for a run.
 */
package io.millrace.manager.workflow;
