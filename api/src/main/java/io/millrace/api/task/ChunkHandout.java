package io.millrace.api.task;

import java.time.Instant;

/**
 * A chunk for a program that asks for one (H-020). A lease: it belongs to the program until {@code
 * until}, and if it is not reported done by then, it is given out again.
 *
 * @param position in the run, from 0
 * @param chunk its text
 * @param left chunks after it
 * @param token what a report about it shows; null for one that was given out for good
 * @param until when it is given out again, by the database's clock; null for never
 * @param attempt how often it was given out, this time included
 */
public record ChunkHandout(
    long position, String chunk, long left, String token, Instant until, int attempt) {}
