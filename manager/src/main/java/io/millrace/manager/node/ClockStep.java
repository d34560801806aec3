package io.millrace.manager.node;

import java.time.Duration;
import java.time.Instant;

/**
 * A step of a clock, as it was noticed.
 *
 * @param source whose clock, for people: {@code database}, {@code central manager c1} or {@code
 *     execution node e1}
 * @param step how far; negative for backwards
 * @param noticedAt by the database's clock
 */
public record ClockStep(String source, Duration step, Instant noticedAt) {}
