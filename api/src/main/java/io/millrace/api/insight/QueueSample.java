package io.millrace.api.insight;

import java.time.Instant;
import java.util.Map;

/**
 * One point of a queue's history.
 *
 * @param at when
 * @param waiting events waiting then
 * @param eventRate events stored per second
 * @param doneRate events done per second
 * @param workerRate workers started per second
 * @param workersRunning workers that ran then
 * @param oldestSeconds age of the oldest waiting event
 * @param weights points by queue node then
 */
public record QueueSample(
    Instant at,
    long waiting,
    double eventRate,
    double doneRate,
    double workerRate,
    int workersRunning,
    double oldestSeconds,
    Map<String, Integer> weights) {}
