package io.millrace.api.job;

import java.time.Instant;

/**
 * A time during which a job waited for one reason.
 *
 * @param code stable
 * @param words for people
 * @param from by the database's clock
 * @param until null while it lasts
 */
public record WaitSpan(WaitCode code, String words, Instant from, Instant until) {}
