package io.millrace.manager.schedule;

/**
 * A line of a crontab that becomes no task.
 *
 * @param line its number, from 1
 * @param text the line
 * @param reason why, and what to do
 */
public record RefusedLine(int line, String text, String reason) {}
