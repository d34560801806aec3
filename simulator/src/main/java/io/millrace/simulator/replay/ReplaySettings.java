package io.millrace.simulator.replay;

import io.millrace.api.Durations;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.PacingDefinition.ThresholdDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.queue.WorkerDefinition.WorkerModel;
import io.millrace.api.queue.WorkerDefinitionBuilder;
import io.millrace.manager.pacing.PacingInputs;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Pacing settings of a replay, with the names of definitions.
 *
 * @param pacing the part of that name
 * @param batch maximum number of events per run
 * @param linger how long a worker that takes events while it runs waits for more; null for one that
 *     takes its batch when it starts
 * @param patience of the policy {@code demand}; null for the one that goes with the wait target
 */
record ReplaySettings(PacingDefinition pacing, int batch, Duration linger, Duration patience) {
  /** The settings that may be changed. */
  static final List<String> NAMES =
      List.of(
          "policy",
          "tick",
          "waitTarget",
          "patience",
          "maxWorkers",
          "maxStarting",
          "upperLimit",
          "lowerLimit",
          "backlog",
          "batch");

  private static final int LARGEST_BATCH = 10_000;

  /** The settings that were in force at a decision. */
  static ReplaySettings of(RecordedDecision decision) {
    if (decision.policy().equals("sessions")) {
      throw new IllegalArgumentException(
          "the queue has sessions, whose workers are counted by sessions; that is not simulated");
    }
    for (String name : List.of("batch", "tickSeconds", "waitTargetSeconds", "maxWorkers")) {
      if (!decision.isComplete(name)) {
        throw new IllegalArgumentException(
            "the decision of "
                + decision.at()
                + " does not contain "
                + name
                + ": it was recorded by an earlier version; use a record of this version");
      }
    }
    PacingDefinition pacing =
        new PacingDefinition(
                decision.policy(),
                duration(decision, "tickSeconds"),
                duration(decision, "waitTargetSeconds"),
                (int) decision.figure("maxWorkers"),
                (int) decision.figure("upperLimit"),
                (int) decision.figure("lowerLimit"),
                (int) decision.figure("backlog"),
                (int) decision.figure("maxStarting"))
            .withThreshold(threshold(decision));
    Duration linger =
        decision.isComplete("lingerSeconds") ? duration(decision, "lingerSeconds") : null;
    return new ReplaySettings(pacing, (int) decision.figure("batch"), linger, null);
  }

  /** Null for another policy, and in records of earlier versions, which had the published ones. */
  private static ThresholdDefinition threshold(RecordedDecision decision) {
    return decision.policy().equals("threshold") && decision.isComplete("readEverySeconds")
        ? new ThresholdDefinition(
            decision.figure("raise"),
            decision.figure("lower"),
            (int) decision.figure("emptyReadings"),
            duration(decision, "readEverySeconds"),
            duration(decision, "evaluateEverySeconds"),
            decision.figure("initialRate"),
            decision.figure("minimumRate"))
        : null;
  }

  private static Duration duration(RecordedDecision decision, String name) {
    return Duration.ofMillis(Math.round(decision.figure(name) * 1e3));
  }

  /**
   * The same with another value of one setting.
   *
   * @param change as {@code waitTarget=5s}
   * @throws IllegalArgumentException if there is no such setting or value
   */
  ReplaySettings with(String change) {
    int equals = change.indexOf('=');
    String name = change.substring(0, Math.max(0, equals)).strip().replaceFirst("^pacing\\.", "");
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "--set "
              + change
              + ": use NAME=VALUE with one of the names "
              + String.join(", ", NAMES)
              + "; for example waitTarget=5s");
    }
    String value = change.substring(equals + 1).strip();
    return switch (name) {
      case "batch" -> new ReplaySettings(pacing, batch(value), linger, patience);
      case "patience" -> new ReplaySettings(pacing, batch, linger, duration(name, value));
      default -> new ReplaySettings(paced(name, value), batch, linger, patience);
    };
  }

  private static int batch(String value) {
    int batch = integer("batch", value);
    if (batch < 1 || batch > LARGEST_BATCH) {
      throw new IllegalArgumentException(
          "batch must be from 1 to " + LARGEST_BATCH + ", not " + value);
    }
    return batch;
  }

  private PacingDefinition paced(String name, String value) {
    int upper = name.equals("upperLimit") ? integer(name, value) : pacing.upperLimit();
    // It is the upper limit unless the definition sets it.
    int usualBacklog = pacing.backlog() == pacing.upperLimit() ? upper : pacing.backlog();
    return new PacingDefinition(
            name.equals("policy") ? value : pacing.policy(),
            name.equals("tick") ? duration(name, value) : pacing.tick(),
            name.equals("waitTarget") ? duration(name, value) : pacing.waitTarget(),
            name.equals("maxWorkers") ? integer(name, value) : pacing.maxWorkers(),
            upper,
            name.equals("lowerLimit") ? integer(name, value) : pacing.lowerLimit(),
            name.equals("backlog") ? integer(name, value) : usualBacklog,
            name.equals("maxStarting") ? integer(name, value) : pacing.maxStarting())
        .withThreshold(threshold(name, value));
  }

  /** Intervals that are multiples of the tick change with it. */
  private ThresholdDefinition threshold(String name, String value) {
    ThresholdDefinition recorded = pacing.threshold();
    boolean stays = pacing.policy().equals("threshold") && !name.equals("policy");
    if (recorded == null || !(stays || value.equals(pacing.policy()))) {
      return null;
    }
    return name.equals("tick") && usualIntervals(recorded)
        ? new ThresholdDefinition(
            recorded.raise(),
            recorded.lower(),
            recorded.emptyReadings(),
            null,
            null,
            recorded.initialRate(),
            recorded.minimumRate())
        : recorded;
  }

  private boolean usualIntervals(ThresholdDefinition recorded) {
    Duration tick = pacing.tick();
    ThresholdDefinition usual = ThresholdDefinition.DEFAULT;
    return recorded.readEvery(tick).equals(usual.readEvery(tick))
        && recorded.evaluateEvery(tick).equals(usual.evaluateEvery(tick));
  }

  private static int integer(String name, String value) {
    try {
      int number = Integer.parseInt(value);
      if (number > 0 || (number == 0 && name.equals("lowerLimit"))) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new IllegalArgumentException(name + " is a whole number above 0, not '" + value + "'");
  }

  private static Duration duration(String name, String value) {
    Duration duration = Durations.parse(value);
    if (duration.isZero() || duration.isNegative()) {
      throw new IllegalArgumentException(name + " must be longer than zero, not " + value);
    }
    return duration;
  }

  /** The settings that apply to the policy, in the form of changes. */
  String text() {
    List<String> text = new ArrayList<>();
    text.add("policy=" + pacing.policy());
    text.add("tick=" + Durations.format(pacing.tick()));
    if (pacing.policy().equals("demand")) {
      text.add("waitTarget=" + Durations.format(pacing.waitTarget()));
    } else {
      text.add("upperLimit=" + pacing.upperLimit());
      text.add("lowerLimit=" + pacing.lowerLimit());
      text.add("backlog=" + pacing.backlog());
    }
    text.add("maxWorkers=" + pacing.maxWorkers());
    text.add("maxStarting=" + pacing.maxStarting());
    text.add("batch=" + batch);
    return String.join(" ", text);
  }

  /** As the queue manager would have it. */
  PacingSettings settings() {
    PacingSettings defined = PacingInputs.settings(definition());
    return patience == null ? defined : defined.withDemand(defined.demand().withPatience(patience));
  }

  private QueueDefinition definition() {
    return new QueueDefinition(
        "replay",
        Math.min(batch, LARGEST_BATCH),
        0,
        0,
        null,
        0,
        null,
        0,
        null,
        null,
        0,
        pacing,
        worker());
  }

  private WorkerDefinition worker() {
    boolean lingers = linger != null && !linger.isZero();
    return WorkerDefinitionBuilder.builder()
        .command(List.of("replayed"))
        .input(linger == null ? WorkerInput.STDIN : WorkerInput.PULL)
        .model(lingers ? WorkerModel.LINGER : WorkerModel.EXIT)
        .linger(lingers ? new LingerDefinition(batch, null, linger) : null)
        .build();
  }
}
