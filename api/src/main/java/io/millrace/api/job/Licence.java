package io.millrace.api.job;

import java.util.List;

/**
 * A cluster-wide consumable, such as the seats of a floating licence.
 *
 * @param name what jobs name in {@code licences}
 * @param total how many there are
 * @param used how many are booked
 * @param holders attempts that hold some, at most 100
 */
public record Licence(String name, int total, int used, List<AttemptId> holders) {}
