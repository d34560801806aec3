package io.millrace.manager.http;

/**
 * The body of a change of one job's priority.
 *
 * @param priority the new one; null is refused
 * @param reason for people, kept in the job's history; null for none
 */
record PriorityChange(Integer priority, String reason) {}
