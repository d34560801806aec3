package io.millrace.api.insight;

import io.millrace.api.pacing.BreakerView;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.queue.QueueControl;
import java.util.Map;

/**
 * A queue as shown, over all its segments.
 *
 * @param name its name
 * @param version of its definition
 * @param weightsVersion of its weight row; 0 while it has none
 * @param weights points by queue node
 * @param waiting ready events
 * @param delayed events not ready yet
 * @param leased events in the hands of workers
 * @param dead dead letters
 * @param oldestSeconds age of the oldest waiting event
 * @param inserted events stored since ever
 * @param acknowledged events done since ever
 * @param workerRuns worker runs started since ever
 * @param workersStarting workers submitted and not started
 * @param workersRunning workers that run
 * @param eventRate events stored per second, lately
 * @param doneRate events done per second, lately
 * @param workerRate workers started per second, lately
 * @param delayP50Seconds time from stored to acknowledged, median since ever
 * @param delayP99Seconds the same, 99th percentile
 * @param managerDecisions decisions recorded since ever
 * @param bytes size of all events kept
 * @param secondsToEmpty until nothing waits if it goes on as lately; 0 when nothing waits, null
 *     when more comes than is done
 * @param control what operators have paused; null for nothing
 * @param trouble why a segment of it is not served; null when all are
 * @param breaker why nothing but probes is started; null while the breaker is closed
 * @param override what an operator has set for a while; null for nothing
 */
public record QueueView(
    String name,
    int version,
    long weightsVersion,
    Map<String, Integer> weights,
    long waiting,
    long delayed,
    long leased,
    long dead,
    double oldestSeconds,
    long inserted,
    long acknowledged,
    long workerRuns,
    int workersStarting,
    int workersRunning,
    double eventRate,
    double doneRate,
    double workerRate,
    double delayP50Seconds,
    double delayP99Seconds,
    long managerDecisions,
    long bytes,
    Double secondsToEmpty,
    QueueControl control,
    String trouble,
    BreakerView breaker,
    PacingOverride override) {}
