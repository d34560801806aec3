package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.Instant;
import java.util.List;

/**
 * Planned times whose moment has come.
 *
 * @param late later than is tolerated, oldest first
 * @param punctual the others, all after them
 * @param next the first that is not due
 */
@Pure
record DueTimes(List<Instant> late, List<Instant> punctual, NextStart next) {}
