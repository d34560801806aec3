package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.util.List;

/**
 * What is to be written in one transaction.
 *
 * @param launches runs to insert, oldest planned time first; at most one of them is not queued
 * @param passed planned times to record as missed or skipped
 * @param earlier missed times before those of {@code passed}, too many for a row each; null for
 *     none
 * @param stopRunning whether the run that lasts is to be stopped for the first of the launches
 * @param next the row's new state; its planned time is never before the old one
 */
@Pure
public record DueDecision(
    List<PlannedLaunch> launches,
    List<PassedTime> passed,
    PassedSpan earlier,
    boolean stopRunning,
    NextStart next) {
  public DueDecision {
    launches = List.copyOf(launches);
    passed = List.copyOf(passed);
  }
}
