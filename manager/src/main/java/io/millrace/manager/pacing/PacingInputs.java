package io.millrace.manager.pacing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Between the words of the API and those of the policies. Pure. */
final class PacingInputs {
  /** A worker that takes events while it runs has, on average, taken half of them already. */
  private static final double STILL_TO_TAKE = 0.5;

  private PacingInputs() {}

  /**
   * What the policy sees.
   *
   * @param before the view of the last recorded tick of this process; the same as now at its first
   * @param elapsed since then; zero at the first
   */
  static PacingSnapshot snapshot(
      SegmentFigures segment, PacingView now, PacingView before, Duration elapsed) {
    QueueFigures figures =
        new QueueFigures(
            segment.waiting(),
            segment.leased(),
            segment.inserted(),
            segment.acknowledged(),
            seconds(segment.oldestSeconds()).orElse(Duration.ZERO),
            now.nodeState());
    int batch = DefinedPacing.capacity(now.queue());
    WorkerFigures workers =
        new WorkerFigures(
            now.starting(),
            now.running(),
            (long) now.starting() * batch,
            // Events of a stdin worker are leased before it starts, hence not waiting any more.
            DefinedPacing.pulls(now.queue()) ? (long) (now.running() * batch * STILL_TO_TAKE) : 0,
            difference(now.started(), before.started()),
            difference(now.finished(), before.finished()),
            seconds(now.startLatencySeconds()),
            seconds(now.runSeconds()),
            now.queueOutstanding());
    return PacingSnapshot.of(elapsed, figures, workers);
  }

  /** The recorded state; one that this version can't read any more is as good as none. */
  static PacingState state(JsonNode recorded) {
    if (recorded == null || recorded.isNull()) {
      return PacingState.initial();
    }
    try {
      PacingState state = Json.mapper().treeToValue(recorded, PacingState.class);
      boolean whole =
          state.arrivals() != null && state.completions() != null && state.threshold() != null;
      return whole ? state : PacingState.initial();
    } catch (JsonProcessingException e) {
      return PacingState.initial();
    }
  }

  static PacingRecord record(
      AttemptId attempt,
      PacingView view,
      PacingSettings settings,
      PacingSnapshot snapshot,
      SegmentFigures segment,
      PacingDecision decision) {
    Map<String, Double> figures = figures(snapshot, decision);
    figures.put("weight", (double) segment.weight());
    figures.put("failedRuns", (double) view.failedRuns());
    figures.putAll(DefinedPacing.figures(view.queue(), settings));
    return new PacingRecord(
        attempt,
        decision.workers(),
        settings.policy(),
        decision.gate().name(),
        decision.reason(),
        figures,
        Json.mapper().valueToTree(decision.state()));
  }

  private static Map<String, Double> figures(PacingSnapshot snapshot, PacingDecision decision) {
    Map<String, Double> inputs = new TreeMap<>();
    snapshot
        .queue()
        .ifPresent(
            queue -> {
              inputs.put("waiting", (double) queue.waiting());
              inputs.put("leased", (double) queue.leased());
              inputs.put("oldestSeconds", queue.oldestAge().toMillis() / 1e3);
              inputs.put("inserted", (double) queue.inserted());
              inputs.put("acknowledged", (double) queue.acknowledged());
            });
    snapshot
        .workers()
        .ifPresent(
            workers -> {
              inputs.put("starting", (double) workers.notStarted());
              inputs.put("running", (double) workers.running());
              inputs.put("started", (double) workers.started());
              inputs.put("finished", (double) workers.finished());
              inputs.put("openCapacity", (double) workers.openCapacity());
              inputs.put("queueOutstanding", (double) workers.outstandingInCluster());
              workers
                  .startLatency()
                  .ifPresent(time -> inputs.put("startLatencySeconds", time.toMillis() / 1e3));
              workers.runTime().ifPresent(time -> inputs.put("runSeconds", time.toMillis() / 1e3));
            });
    inputs.put("arrivalRate", decision.state().arrivals().rate());
    inputs.put("wanted", (double) decision.wanted());
    return inputs;
  }

  private static int difference(long now, long before) {
    return (int) Math.min(Math.max(0, now - before), Integer.MAX_VALUE);
  }

  private static Optional<Duration> seconds(double seconds) {
    return seconds > 0 ? Optional.of(Duration.ofNanos((long) (seconds * 1e9))) : Optional.empty();
  }
}
