package io.millrace.api.event;

/**
 * Deletes events that nobody works on; leased ones stay with their workers.
 *
 * @param confirm the queue's name once more, so that no queue is emptied by mistake
 * @param waiting whether ready events go
 * @param delayed whether delayed events go
 * @param dead whether dead letters go
 */
public record PurgeRequest(String confirm, boolean waiting, boolean delayed, boolean dead) {}
