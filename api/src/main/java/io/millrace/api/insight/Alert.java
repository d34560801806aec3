package io.millrace.api.insight;

/**
 * Something that an operator should look at now.
 *
 * @param code stable, such as {@code SILENT_NODE_EVENTS}
 * @param subject the node or queue it is about
 * @param message for people: what is wrong, since when, and what to do
 */
public record Alert(String code, String subject, String message) {}
