package io.millrace.manager.schedule;

import java.time.Instant;
import java.util.List;

/**
 * Planned times whose moment has come.
 *
 * @param late later than is tolerated, oldest first
 * @param punctual the others, all after them
 * @param next the first that is not due
 */
record DueTimes(List<Instant> late, List<Instant> punctual, NextStart next) {}
