package io.millrace.executor.run;

/**
 * An attempt that this node has accepted, in this life of its agent or an earlier one.
 *
 * @param record as accepted
 * @param run goes on, or has ended
 */
public record AcceptedRun(AttemptRecord record, Run run) {}
