package io.millrace.manager.pacing;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.ThresholdPolicy.ThresholdState;

/**
 * The state of a policy between ticks. It is recorded with each decision and resumed after a crash
 * (H-217). Both policies keep all of it, so a queue can change its policy.
 *
 * @param arrivals the measured arrival rate
 * @param completions whether more workers led to more acknowledged events
 * @param threshold the rate of the published rule
 * @param spareTicks of a queue of sessions: successive ticks at which a worker was not needed
 * @param outsideWorkers of a queue of sessions: registered workers that are no jobs of this manager
 */
@Pure
public record PacingState(
    ArrivalEstimate arrivals,
    CompletionWatch completions,
    ThresholdState threshold,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) int spareTicks,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) int outsideWorkers) {
  /** Of a queue without sessions. */
  public PacingState(
      ArrivalEstimate arrivals, CompletionWatch completions, ThresholdState threshold) {
    this(arrivals, completions, threshold, 0, 0);
  }

  /** The initial state of a queue. */
  public static PacingState initial() {
    return new PacingState(
        ArrivalEstimate.unknown(), CompletionWatch.fresh(), ThresholdState.fresh());
  }

  /** After a tick at which everything was read. */
  PacingState observe(
      double seconds, QueueFigures queue, WorkerFigures workers, PacingSettings settings) {
    return new PacingState(
        arrivals.observe(queue.inserted(), seconds, settings),
        completions.observe(queue.acknowledged(), workers, seconds, settings),
        threshold.observe(queue.waiting(), seconds, settings));
  }

  /** After a tick at which something could not be read. */
  PacingState miss(double seconds) {
    return new PacingState(arrivals.miss(seconds), completions.miss(), threshold.miss(seconds));
  }

  /** After a tick of a queue of sessions, where more workers need not finish more events. */
  PacingState ofSessions(int newSpareTicks, int newOutsideWorkers) {
    return new PacingState(
        arrivals, CompletionWatch.fresh(), threshold, newSpareTicks, newOutsideWorkers);
  }

  PacingState withThreshold(ThresholdState newThreshold) {
    return new PacingState(arrivals, completions, newThreshold);
  }
}
