package io.millrace.manager.task;

import java.time.Instant;

/**
 * A chunk that a program took, or one that is to be done again.
 *
 * @param id of the row
 * @param state LENT or PENDING
 * @param position of the chunk, from 0
 * @param chunk its text
 * @param token what the program shows; null if none ever took it
 * @param lentAt since when the program has it; null like the token
 * @param until until when; null like the token
 * @param tries how often it was given out
 */
public record LentChunk(
    long id,
    WorkerState state,
    long position,
    String chunk,
    String token,
    Instant lentAt,
    Instant until,
    int tries) {}
