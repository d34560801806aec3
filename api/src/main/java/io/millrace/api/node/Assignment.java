package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import java.net.URI;

/**
 * One attempt to start.
 *
 * @param attempt its id: the fencing token
 * @param kind who wanted the job
 * @param spec what to run
 * @param queueNode where the segment of the spec's input answers; null without input
 * @param workerToken a token good for that queue and this attempt only; null without input
 */
public record Assignment(
    AttemptId attempt, JobKind kind, JobSpec spec, URI queueNode, String workerToken) {}
