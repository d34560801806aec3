package io.millrace.api.event;

/**
 * Deletes events that are not leased.
 *
 * @param confirm the queue's name, repeated so that no queue is emptied by mistake
 * @param waiting whether to delete ready events
 * @param delayed whether to delete delayed events
 * @param dead whether to delete dead letters
 */
public record PurgeRequest(String confirm, boolean waiting, boolean delayed, boolean dead) {}
