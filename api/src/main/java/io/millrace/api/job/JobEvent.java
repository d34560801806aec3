package io.millrace.api.job;

import java.time.Instant;

/**
 * One line of a job's history.
 *
 * @param at by the database's clock
 * @param state the state entered
 * @param attempt 0 for none
 * @param words what happened
 */
public record JobEvent(Instant at, JobState state, int attempt, String words) {}
