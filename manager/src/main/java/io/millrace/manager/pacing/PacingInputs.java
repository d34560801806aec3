package io.millrace.manager.pacing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.PacingDefinition.ThresholdDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.queue.WorkerDefinition.WorkerModel;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSettings.DemandSettings.EventPull;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.SessionPacing.SessionPacingDecision;
import io.millrace.manager.queue.WorkerSpecs;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Translates between the API and the types of the policies: a queue's definition into the settings
 * of its policy, reports into a snapshot, and a decision into the record from which a simulation
 * can restore both. Pure.
 */
public final class PacingInputs {
  private static final Duration HISTORY = Duration.ofSeconds(60);

  /** A worker that takes events while it runs has, on average, taken half of them already. */
  private static final double STILL_TO_TAKE = 0.5;

  private PacingInputs() {}

  /** The settings of a queue's managers. */
  public static PacingSettings settings(QueueDefinition queue) {
    PacingDefinition pacing = queue.pacing();
    Duration tick = queue.decidedEvery();
    ThresholdDefinition published = pacing.thresholdInForce();
    Duration evaluation = published.evaluateEvery(tick);
    boolean threshold = pacing.policy().equals("threshold");
    Duration history = threshold || evaluation.compareTo(HISTORY) > 0 ? evaluation : HISTORY;
    return new PacingSettings(
        pacing.policy(),
        WorkerSpecs.capacity(queue),
        tick,
        history,
        threshold(pacing).withIntervals(published.readEvery(tick), evaluation),
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
        ? usual.withPull(EventPull.WHILE_RUNNING)
        : usual.withLinger(linger.idle());
  }

  private static ThresholdSettings threshold(PacingDefinition pacing) {
    ThresholdDefinition published = pacing.thresholdInForce();
    return ThresholdSettings.defaults()
        .with(
            copy ->
                copy.raise(published.raise())
                    .lower(published.lower())
                    .emptyReadings(published.emptyReadings())
                    .initialRate(published.initialRate())
                    .minimumRate(published.minimumRate())
                    .upperLimit(pacing.upperLimit())
                    .lowerLimit(pacing.lowerLimit())
                    .backlogThreshold(pacing.backlog()));
  }

  /** The definition in force, including overrides, as figures recorded with a decision. */
  static Map<String, Double> figures(QueueDefinition queue, PacingSettings settings) {
    PacingDefinition pacing = queue.pacing();
    Map<String, Double> figures = new TreeMap<>();
    figures.put(DecisionFigure.BATCH.key(), (double) settings.eventsPerWorker());
    figures.put(DecisionFigure.TICK_SECONDS.key(), inSeconds(settings.tick()));
    figures.put(DecisionFigure.WAIT_TARGET_SECONDS.key(), inSeconds(pacing.waitTarget()));
    figures.put(DecisionFigure.MAX_WORKERS.key(), (double) pacing.maxWorkers());
    figures.put(DecisionFigure.MAX_STARTING.key(), (double) pacing.maxStarting());
    figures.put(DecisionFigure.MAX_PER_NODE.key(), (double) pacing.maxPerNode());
    figures.put(DecisionFigure.MAX_EVENTS_PER_SECOND.key(), pacing.maxEventsPerSecond());
    figures.put(DecisionFigure.UPPER_LIMIT.key(), (double) pacing.upperLimit());
    figures.put(DecisionFigure.LOWER_LIMIT.key(), (double) pacing.lowerLimit());
    figures.put(DecisionFigure.BACKLOG.key(), (double) pacing.backlog());
    if (pacing.policy().equals(ThresholdPolicy.NAME)) {
      ThresholdSettings threshold = settings.threshold();
      figures.put(DecisionFigure.RAISE.key(), threshold.raise());
      figures.put(DecisionFigure.LOWER.key(), threshold.lower());
      figures.put(DecisionFigure.EMPTY_READINGS.key(), (double) threshold.emptyReadings());
      figures.put(DecisionFigure.READ_EVERY_SECONDS.key(), inSeconds(threshold.readEvery()));
      figures.put(
          DecisionFigure.EVALUATE_EVERY_SECONDS.key(), inSeconds(threshold.evaluateEvery()));
      figures.put(DecisionFigure.INITIAL_RATE.key(), threshold.initialRate());
      figures.put(DecisionFigure.MINIMUM_RATE.key(), threshold.minimumRate());
    }
    if (pulls(queue)) {
      figures.put(DecisionFigure.LINGER_SECONDS.key(), inSeconds(settings.demand().linger()));
      if (queue.worker().linger() != null) {
        figures.put(
            DecisionFigure.LONGEST_RUN_SECONDS.key(), inSeconds(queue.worker().linger().maxTime()));
      }
    }
    return figures;
  }

  private static double inSeconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }

  /** Whether workers take events while they run, and not only before their start. */
  private static boolean pulls(QueueDefinition queue) {
    WorkerDefinition worker = queue.worker();
    if (worker == null || worker.input() == WorkerInput.STDIN) {
      return false;
    }
    return worker.input() != WorkerInput.STREAM || worker.model() == WorkerModel.LINGER;
  }

  /**
   * The snapshot for the policy.
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
    int batch = WorkerSpecs.capacity(now.queue());
    WorkerFigures workers =
        new WorkerFigures(
            now.starting(),
            now.running(),
            (long) now.starting() * batch,
            // Events of a stdin worker are leased before it starts, hence no longer waiting.
            pulls(now.queue()) ? (long) (now.running() * batch * STILL_TO_TAKE) : 0,
            difference(now.started(), before.started()),
            difference(now.finished(), before.finished()),
            seconds(now.startLatencySeconds()),
            seconds(now.runSeconds()),
            now.queueOutstanding());
    return PacingSnapshot.of(elapsed, figures, workers);
  }

  /** The recorded state; the initial state if this version cannot read it. */
  static PacingState state(JsonNode recorded) {
    if (recorded == null || recorded.isNull()) {
      return PacingState.initial();
    }
    try {
      PacingState state = Json.mapper().treeToValue(recorded, PacingState.class);
      boolean complete =
          state.arrivals() != null && state.completions() != null && state.threshold() != null;
      return complete ? state : PacingState.initial();
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
      SessionPacingDecision paced) {
    PacingDecision decision = paced.start();
    Map<String, Double> figures = figures(snapshot, decision);
    figures.put(DecisionFigure.WEIGHT.key(), (double) segment.weight());
    figures.put(DecisionFigure.FAILED_RUNS.key(), (double) view.failedRuns());
    figures.putAll(figures(view.queue(), settings));
    if (segment.sessions() != null && view.queue().ofSessions()) {
      figures.putAll(figures(segment.sessions(), view.queue().sessionsPerWorker()));
    }
    return new PacingRecord(
        attempt,
        decision.workers(),
        view.queue().ofSessions() ? SessionPacing.NAME : settings.policy(),
        decision.gate().name(),
        decision.reason(),
        figures,
        Json.mapper().valueToTree(decision.state()),
        paced.leave());
  }

  private static Map<String, Double> figures(SessionFigures sessions, int perWorker) {
    return Map.of(
        DecisionFigure.SESSIONS.key(), (double) (sessions.unassigned() + sessions.assigned()),
        DecisionFigure.UNASSIGNED_SESSIONS.key(), (double) sessions.unassigned(),
        DecisionFigure.SESSION_WORKERS.key(), (double) sessions.workers(),
        DecisionFigure.SESSION_CAPACITY.key(), (double) sessions.capacity(),
        DecisionFigure.MAX_PER_WORKER.key(), (double) perWorker);
  }

  private static Map<String, Double> figures(PacingSnapshot snapshot, PacingDecision decision) {
    Map<String, Double> inputs = new TreeMap<>();
    snapshot
        .queue()
        .ifPresent(
            queue -> {
              inputs.put(DecisionFigure.WAITING.key(), (double) queue.waiting());
              inputs.put(DecisionFigure.LEASED.key(), (double) queue.leased());
              inputs.put(DecisionFigure.OLDEST_SECONDS.key(), queue.oldestAge().toMillis() / 1e3);
              inputs.put(DecisionFigure.INSERTED.key(), (double) queue.inserted());
              inputs.put(DecisionFigure.ACKNOWLEDGED.key(), (double) queue.acknowledged());
            });
    snapshot
        .workers()
        .ifPresent(
            workers -> {
              inputs.put(DecisionFigure.STARTING.key(), (double) workers.notStarted());
              inputs.put(DecisionFigure.RUNNING.key(), (double) workers.running());
              inputs.put(DecisionFigure.STARTED.key(), (double) workers.started());
              inputs.put(DecisionFigure.FINISHED.key(), (double) workers.finished());
              inputs.put(DecisionFigure.OPEN_CAPACITY.key(), (double) workers.openCapacity());
              inputs.put(
                  DecisionFigure.QUEUE_OUTSTANDING.key(), (double) workers.outstandingInCluster());
              workers
                  .startLatency()
                  .ifPresent(
                      time ->
                          inputs.put(
                              DecisionFigure.START_LATENCY_SECONDS.key(), time.toMillis() / 1e3));
              workers
                  .runTime()
                  .ifPresent(
                      time -> inputs.put(DecisionFigure.RUN_SECONDS.key(), time.toMillis() / 1e3));
            });
    inputs.put(DecisionFigure.ARRIVAL_RATE.key(), decision.state().arrivals().rate());
    inputs.put(DecisionFigure.WANTED.key(), (double) decision.wanted());
    return inputs;
  }

  private static int difference(long now, long before) {
    return (int) Math.min(Math.max(0, now - before), Integer.MAX_VALUE);
  }

  private static Optional<Duration> seconds(double seconds) {
    return seconds > 0 ? Optional.of(Duration.ofNanos((long) (seconds * 1e9))) : Optional.empty();
  }
}
