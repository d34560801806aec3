package io.millrace.executor.supervision;

/**
 * Why an attempt is stopped.
 *
 * @param text for people, such as {@code cancelled by alice}; shown as the ending's reason
 */
public record StopReason(String text) {}
