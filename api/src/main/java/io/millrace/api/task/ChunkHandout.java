package io.millrace.api.task;

import java.time.Instant;

/**
 * A chunk for a program that asks for one (H-020). It is leased to the program until {@code until};
 * if it is not reported as done by then, it is handed out again.
 *
 * @param position in the run, from 0
 * @param chunk its text
 * @param left chunks after it
 * @param token to be sent with the report about it; null for one without a lease
 * @param until when it is handed out again, by the database's clock; null for never
 * @param attempt how often it was handed out, including this time
 */
public record ChunkHandout(
    long position, String chunk, long left, String token, Instant until, int attempt) {}
