package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.PacingDefinition.ThresholdDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.queue.WorkerDefinition.WorkerModel;
import io.millrace.api.queue.WorkerDefinitionBuilder;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each decision tells the settings in force, so that a record can be replayed by itself. */
class PacingInputsTest {
  private static Map<String, Double> figures(WorkerDefinition worker) {
    PacingDefinition pacing =
        new PacingDefinition(
            "threshold", Duration.ofMillis(500), Duration.ofSeconds(7), 80, 300, 20, 400, 9);
    QueueDefinition queue =
        new QueueDefinition("alert", 25, 0, 0, null, 0, null, 0, null, null, 0, pacing, worker);
    return PacingInputs.figures(queue, PacingInputs.settings(queue));
  }

  private static WorkerDefinition worker(
      WorkerInput input, WorkerModel model, LingerDefinition linger) {
    return WorkerDefinitionBuilder.builder()
        .command(List.of("true"))
        .input(input)
        .model(model)
        .linger(linger)
        .build();
  }

  @Test
  void theSettingsOfTheDefinition() {
    assertThat(figures(worker(WorkerInput.STDIN, WorkerModel.EXIT, null)))
        .containsEntry("batch", 25.0)
        .containsEntry("tickSeconds", 0.5)
        .containsEntry("waitTargetSeconds", 7.0)
        .containsEntry("maxWorkers", 80.0)
        .containsEntry("maxStarting", 9.0)
        .containsEntry("upperLimit", 300.0)
        .containsEntry("lowerLimit", 20.0)
        .containsEntry("backlog", 400.0)
        .containsEntry("maxPerNode", 0.0)
        .containsEntry("maxEventsPerSecond", 0.0)
        .doesNotContainKeys("lingerSeconds", "longestRunSeconds");
  }

  @Test
  void theParametersOfThePublishedRuleAreThoseOfTheDefinition() {
    ThresholdDefinition own =
        new ThresholdDefinition(0.5, 0.25, 1, Duration.ofSeconds(3), Duration.ofSeconds(9), 2, 0.5);
    PacingDefinition pacing =
        new PacingDefinition("threshold", Duration.ofSeconds(1), null, 0, 0, 0, 0, 0)
            .withThreshold(own);
    ThresholdSettings settings = PacingInputs.settings(queue(pacing)).threshold();

    assertThat(settings)
        .isEqualTo(
            new ThresholdSettings(
                250, 0, 0.5, 0.25, 1, Duration.ofSeconds(3), Duration.ofSeconds(9), 250, 2, 0.5));
    assertThat(PacingInputs.figures(queue(pacing), PacingInputs.settings(queue(pacing))))
        .containsEntry("raise", 0.5)
        .containsEntry("lower", 0.25)
        .containsEntry("emptyReadings", 1.0)
        .containsEntry("readEverySeconds", 3.0)
        .containsEntry("evaluateEverySeconds", 9.0)
        .containsEntry("initialRate", 2.0)
        .containsEntry("minimumRate", 0.5);
  }

  @Test
  void withoutThemTheyAreAsPublishedInTicks() {
    PacingDefinition pacing =
        new PacingDefinition("threshold", Duration.ofSeconds(5), null, 0, 500, 0, 0, 0);
    assertThat(PacingInputs.settings(queue(pacing)).threshold())
        .isEqualTo(ThresholdSettings.defaults());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          demand    | {raise: 0.3}                   | pacing.threshold applies to policy threshold only
          threshold | {raise: 11}                    | pacing.threshold.raise must be above 0
          threshold | {lower: 1}                     | pacing.threshold.lower must be above 0 and below 1
          threshold | {emptyReadings: -1}            | pacing.threshold.emptyReadings must not be negative
          threshold | {emptyReadings: 6}             | must be below the 6 readings of an evaluation, not 6
          threshold | {readEvery: 1s}                | pacing.threshold.readEvery must be at least the tick 5s
          threshold | {evaluateEvery: 6s}            | pacing.threshold.evaluateEvery must be at least readEvery 10s
          threshold | {minimumRate: 2}               | must be above 0 and at most initialRate, not 2.0 of 1.0
          """)
  void impossibleParametersAreRefusedByName(String policy, String threshold, String refusal) {
    String yaml =
        "{kind: queue, name: alert, pacing: {policy: %s, threshold: %s}}"
            .formatted(policy, threshold);
    DefinitionKinds kinds = new DefinitionKinds(List.of(new QueueKind()));
    List<SourceFile> files = List.of(new SourceFile("a.yaml", yaml));

    assertThat(new DefinitionParser(kinds).read(files).problems().toString()).contains(refusal);
  }

  private static QueueDefinition queue(PacingDefinition pacing) {
    return new QueueDefinition(
        "alert",
        25,
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
        worker(WorkerInput.STDIN, WorkerModel.EXIT, null));
  }

  @Test
  void aPullingWorkerTakesEventsWhileItRuns() {
    assertThat(figures(worker(WorkerInput.PULL, WorkerModel.EXIT, null)))
        .containsEntry("lingerSeconds", 0.0)
        .doesNotContainKey("longestRunSeconds");
  }

  @Test
  void aLingeringWorkerHasItsLimits() {
    LingerDefinition linger =
        new LingerDefinition(200, Duration.ofSeconds(40), Duration.ofSeconds(3));

    assertThat(figures(worker(WorkerInput.PULL, WorkerModel.LINGER, linger)))
        .containsEntry("batch", 200.0)
        .containsEntry("lingerSeconds", 3.0)
        .containsEntry("longestRunSeconds", 40.0);
  }
}
