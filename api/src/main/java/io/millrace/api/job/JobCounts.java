package io.millrace.api.job;

/**
 * Jobs by state.
 *
 * @param waiting waiting for a slot or their time
 * @param running placed or running
 * @param succeeded successful and not deleted yet
 * @param failed failed and not deleted yet
 * @param cancelled cancelled and not deleted yet
 */
public record JobCounts(long waiting, long running, long succeeded, long failed, long cancelled) {}
