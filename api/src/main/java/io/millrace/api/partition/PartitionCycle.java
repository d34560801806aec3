package io.millrace.api.partition;

import java.time.Duration;
import java.time.Instant;

/**
 * How far one cycle of a group came.
 *
 * @param number counts the group's cycles
 * @param begin a multiple of the interval since 1970, by the database's clock
 * @param interval how often the group polls
 * @param total resources of the cycle
 * @param done how many of them are recorded as polled
 * @param again how many were given to a second member, because the first was lost or left with them
 *     in its hands
 */
public record PartitionCycle(
    long number, Instant begin, Duration interval, long total, long done, long again) {}
