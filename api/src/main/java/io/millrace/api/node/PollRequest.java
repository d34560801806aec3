package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.time.Duration;
import java.util.List;

/**
 * Asks for work, and is a heartbeat.
 *
 * @param held attempts that the node has accepted and not reported as ended
 * @param patience how long to wait for something to do; at most 20 s
 * @param accepting false while the node drains or its disk is full
 */
public record PollRequest(List<AttemptId> held, Duration patience, boolean accepting) {}
