package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import java.time.Duration;

/**
 * What comes after an attempt.
 *
 * @param state the job's next state: WAITING or an ended one
 * @param pause how long it waits before its next try; zero for at once
 * @param keepsAge whether it waits at its old place rather than at the back of the queue
 * @param reason why, for people; null if plain
 * @param cause why its next attempt is started, for people; null when there is none
 * @param failedTries tries that failed, this one included
 * @param lostTries tries lost with their node, this one included
 * @param shortRuns short runs in a row, this one included
 */
public record RetryDecision(
    JobState state,
    Duration pause,
    boolean keepsAge,
    String reason,
    String cause,
    int failedTries,
    int lostTries,
    int shortRuns) {}
