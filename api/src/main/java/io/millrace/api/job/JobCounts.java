package io.millrace.api.job;

/**
 * Jobs by state.
 *
 * @param waiting wait for a slot or their time
 * @param running placed or running
 * @param succeeded kept successful ones
 * @param failed kept failed ones
 * @param cancelled kept cancelled ones
 */
public record JobCounts(long waiting, long running, long succeeded, long failed, long cancelled) {}
