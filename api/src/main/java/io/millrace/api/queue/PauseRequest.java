package io.millrace.api.queue;

/**
 * Pauses or resumes a queue.
 *
 * @param sending whether sending is meant
 * @param consuming whether consuming is meant
 * @param reason for people; null for none
 */
public record PauseRequest(boolean sending, boolean consuming, String reason) {}
