package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.queuenode.load.LoadSettings;

/**
 * Up to where load may go, each 0 to 1 of a node's capacity.
 *
 * @param tooBusyEnter load from which a node is TOOBUSY; for the words of decisions
 * @param tooBusyLeave load below which it is so no more; for the words of decisions
 * @param shedTo what an overloaded node keeps: a little below tooBusyLeave, so that it leaves
 *     TOOBUSY
 * @param ceiling what no receiver is filled beyond, however loaded the cluster: far enough below
 *     tooBusyEnter not to become the next giver
 * @param scaleInTo what the receivers of an emptied node reach at the most: below where BUSY
 *     begins, so that scaling in never makes scaling out legal
 * @param aboveMean how far above the cluster's mean receivers are filled
 * @param least moves and excesses smaller than this do not matter
 */
@Pure
public record LoadLimits(
    double tooBusyEnter,
    double tooBusyLeave,
    double shedTo,
    double ceiling,
    double scaleInTo,
    double aboveMean,
    double least) {
  /** Limits that fit the thresholds of states. */
  public static LoadLimits of(LoadSettings load) {
    return new LoadLimits(
        load.tooBusyEnter(),
        load.tooBusyLeave(),
        load.tooBusyLeave() - 0.03,
        Math.max(load.tooBusyEnter() - 0.10, load.tooBusyLeave() - 0.03),
        Math.min(load.busyLeave(), load.busyEnter() - 0.05),
        0.04,
        0.02);
  }

  /** What a receiver is filled to when the nodes that take part are this loaded on average. */
  double forMean(double mean) {
    return Math.min(ceiling, Math.max(shedTo, mean + aboveMean));
  }
}
