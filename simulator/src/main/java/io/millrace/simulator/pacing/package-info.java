/**
 * One segment, its workers and the production pacing policies on a virtual clock: what-if runs, the
 * published tables and fronts of runs against waiting. Pure but for the reading of trace files;
 * called by the command line.
 */
package io.millrace.simulator.pacing;
