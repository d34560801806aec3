package io.millrace.manager.partitioning;

/**
 * A resource in somebody's hands.
 *
 * @param cycle number of the interval
 * @param resource what is polled
 * @param member who polls it
 * @param number 1 for the first time in the cycle that somebody got it
 */
public record Assignment(long cycle, String resource, Member member, int number) {}
