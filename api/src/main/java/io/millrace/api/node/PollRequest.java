package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Asks for work, and is a heartbeat.
 *
 * @param held attempts that the node has accepted and not reported as ended
 * @param patience how long to wait for something to do; at most 20 s
 * @param accepting false while the node drains or its disk is full
 * @param clock the node's clock when it asked, so that a step of it is seen; null from before it
 *     was said
 */
public record PollRequest(
    List<AttemptId> held, Duration patience, boolean accepting, Instant clock) {}
