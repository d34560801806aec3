package io.millrace.manager.program;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.job.AttemptId;
import io.millrace.api.json.Json;
import io.millrace.api.pacing.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.LingerDefinition;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.WorkerInput;
import io.millrace.manager.pacing.DemandSettings;
import io.millrace.manager.pacing.DemandSettings.Intake;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingLimits;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.QueueFigures;
import io.millrace.manager.pacing.ThresholdSettings;
import io.millrace.manager.pacing.WorkerFigures;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Between the words of the API and those of the policies. Pure. */
final class PacingInputs {
  /** A worker that takes events while it runs has, on average, taken half of them already. */
  private static final double STILL_TO_TAKE = 0.5;

  /** The published rule reads every second tick and evaluates every twelfth (H-171). */
  private static final int TICKS_PER_READING = 2;

  private static final int TICKS_PER_EVALUATION = 12;
  private static final Duration HISTORY = Duration.ofSeconds(60);

  private PacingInputs() {}

  static PacingSettings settings(QueueDefinition queue) {
    PacingDefinition pacing = queue.pacing();
    Duration tick = queue.external() ? queue.source().every() : pacing.tick();
    Duration evaluation = tick.multipliedBy(TICKS_PER_EVALUATION);
    boolean threshold = pacing.policy().equals("threshold");
    Duration history = threshold || evaluation.compareTo(HISTORY) > 0 ? evaluation : HISTORY;
    return new PacingSettings(
        pacing.policy(),
        capacity(queue),
        tick,
        history,
        threshold(pacing).withIntervals(tick.multipliedBy(TICKS_PER_READING), evaluation),
        demand(queue),
        PacingLimits.defaults()
            .withMaxWorkers(pacing.maxWorkers())
            .withMaxNotStarted(pacing.maxStarting()));
  }

  private static DemandSettings demand(QueueDefinition queue) {
    DemandSettings usual = DemandSettings.defaults().withWaitTarget(queue.pacing().waitTarget());
    if (!pulls(queue)) {
      return usual;
    }
    LingerDefinition linger = queue.worker().linger();
    return linger == null
        ? usual.withIntake(Intake.WHILE_RUNNING)
        : usual.withLinger(linger.idle());
  }

  private static int capacity(QueueDefinition queue) {
    return queue.worker() == null ? queue.batch() : queue.worker().capacity(queue.batch());
  }

  private static ThresholdSettings threshold(PacingDefinition pacing) {
    ThresholdSettings published = ThresholdSettings.defaults();
    return new ThresholdSettings(
        pacing.upperLimit(),
        pacing.lowerLimit(),
        published.raise(),
        published.lower(),
        published.emptyReadings(),
        published.readEvery(),
        published.evaluateEvery(),
        pacing.backlog(),
        published.initialRate(),
        published.minimumRate());
  }

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
    int batch = capacity(now.queue());
    WorkerFigures workers =
        new WorkerFigures(
            now.starting(),
            now.running(),
            (long) now.starting() * batch,
            // Events of a stdin worker are leased before it starts, hence not waiting any more.
            pulls(now.queue()) ? (long) (now.running() * batch * STILL_TO_TAKE) : 0,
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
      PacingSettings settings,
      PacingSnapshot snapshot,
      SegmentFigures segment,
      PacingDecision decision) {
    Map<String, Double> figures = figures(snapshot, decision);
    figures.put("weight", (double) segment.weight());
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
            });
    inputs.put("arrivalRate", decision.state().arrivals().rate());
    inputs.put("wanted", (double) decision.wanted());
    return inputs;
  }

  private static boolean pulls(QueueDefinition queue) {
    return queue.worker() != null && queue.worker().input() != WorkerInput.STDIN;
  }

  private static int difference(long now, long before) {
    return (int) Math.min(Math.max(0, now - before), Integer.MAX_VALUE);
  }

  private static Optional<Duration> seconds(double seconds) {
    return seconds > 0 ? Optional.of(Duration.ofNanos((long) (seconds * 1e9))) : Optional.empty();
  }
}
