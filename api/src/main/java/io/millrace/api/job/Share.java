package io.millrace.api.job;

/**
 * Somebody's part of the cluster: of jobs of one priority, shares with waiting jobs are started in
 * proportion to their weights.
 *
 * @param name an owner, {@code queue:NAME} for the workers of a queue, or whatever jobs name
 * @param weight 1 unless set
 * @param waiting jobs that wait for a slot
 * @param running slots booked now
 * @param started slots started since the share was first seen
 */
public record Share(String name, double weight, long waiting, long running, long started) {}
