package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.queue.WorkerDefinition.WorkerModel;
import io.millrace.api.queue.WorkerDefinitionBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
