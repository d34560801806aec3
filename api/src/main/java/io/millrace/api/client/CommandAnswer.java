package io.millrace.api.client;

/**
 * What became of a short command.
 *
 * @param exitCode as the process ended; 137 when it was killed at its time limit
 * @param lastLine the last line with something in it that it wrote, errors included; empty for none
 */
public record CommandAnswer(int exitCode, String lastLine) {}
