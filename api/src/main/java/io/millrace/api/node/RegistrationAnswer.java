package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.time.Duration;
import java.util.List;

/**
 * What the node does with the attempts it listed, before it starts new work.
 *
 * @param keep still current: watch on
 * @param end not current any more: end them
 * @param heartbeat send one so often
 * @param lease counted dead after so long without one
 */
public record RegistrationAnswer(
    List<AttemptId> keep, List<AttemptId> end, Duration heartbeat, Duration lease) {}
