package io.millrace.api.task;

/**
 * A chunk, or a worker without one, that failed for good.
 *
 * @param position in the run, from 0
 * @param chunk null for a worker without one
 * @param job what failed; null when it is to be done again, and when a program had taken it
 * @param reason why, for people; null if unknown
 */
public record FailedChunk(long position, String chunk, Long job, String reason) {}
