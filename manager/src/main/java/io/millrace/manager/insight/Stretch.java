package io.millrace.manager.insight;

import io.millrace.api.job.WaitCode;
import java.time.Instant;

/**
 * A time during which a job waited, as its own history tells.
 *
 * @param code why; null when it waited to be placed, which its shape's history tells
 * @param words for people; null likewise
 * @param from by the database's clock
 * @param until null while it lasts
 */
record Stretch(WaitCode code, String words, Instant from, Instant until) {}
