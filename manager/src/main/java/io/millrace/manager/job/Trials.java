package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.RetryPolicy;

/**
 * What a job went through so far, as far as it decides what comes after an attempt.
 *
 * @param kind who wanted the job
 * @param restart whether it is started again however it ends
 * @param retry when a failed try is repeated
 * @param failedTries tries that failed
 * @param lostTries tries lost with their node
 * @param shortRuns short runs in a row of a job that is always restarted
 * @param cancelReason why somebody cancelled it; null if nobody did
 * @param late whether its deadline has passed
 * @param tried whether the attempt that has ended was a try: not if its node was never offered it
 */
public record Trials(
    JobKind kind,
    boolean restart,
    RetryPolicy retry,
    int failedTries,
    int lostTries,
    int shortRuns,
    String cancelReason,
    boolean late,
    boolean tried) {}
