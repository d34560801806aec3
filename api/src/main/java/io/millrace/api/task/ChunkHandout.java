package io.millrace.api.task;

/**
 * A chunk for a program that asks for one (H-020). It is never handed out twice in a run; the
 * program answers for it.
 *
 * @param position in the run, from 0
 * @param chunk its text
 * @param left chunks after it
 */
public record ChunkHandout(long position, String chunk, long left) {}
