package io.millrace.api.job;

/**
 * A fair share of the cluster: among jobs of equal priority, those of each share are started in
 * proportion to its weight.
 *
 * @param name an owner, {@code queue:NAME} for the workers of a queue, or a name given by jobs
 * @param weight 1 unless set
 * @param waiting jobs that wait for a slot
 * @param running slots booked now
 * @param started slots started since the share was first seen
 */
public record Share(String name, double weight, long waiting, long running, long started) {}
