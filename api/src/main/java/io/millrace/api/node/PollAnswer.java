package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.util.List;

/**
 * What to do now.
 *
 * @param start attempts to start; offered again until the node holds them
 * @param stop attempts to stop
 */
public record PollAnswer(List<Assignment> start, List<AttemptId> stop) {}
