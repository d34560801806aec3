package io.millrace.manager.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.api.workflow.WorkflowView.ExpectedEnd;
import io.millrace.manager.graph.TemplateEdges;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import io.millrace.manager.workflow.RunForecast.TemplateProgress;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a workflow is expected to end (J-05: monitor). */
final class RunForecastTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private static RunForecast forecast(EdgeKind kind, TemplateProgress... templates) {
    List<EdgeRow> edges = templates.length < 2 ? List.of() : List.of(new EdgeRow(0, 1, kind, 1));
    return new RunForecast(List.of(templates), new TemplateEdges(templates.length, edges));
  }

  private static ExpectedEnd in(long seconds) {
    return new ExpectedEnd(NOW.plusSeconds(seconds), null);
  }

  @Test
  void whatIsLeftRunsAsManyAtATimeAsNow() {
    RunForecast forecast =
        forecast(EdgeKind.ALL, new TemplateProgress("fetch", 100, 0, 10, null, 2_000));
    assertThat(forecast.ends(NOW)).containsExactly(in(20));
    assertThat(forecast.end(NOW)).isEqualTo(in(20));
  }

  @Test
  void aTemplateThatNeedsAllOfAnotherFollowsItsEnd() {
    RunForecast forecast =
        forecast(
            EdgeKind.ALL,
            new TemplateProgress("fetch", 100, 0, 10, null, 2_000),
            new TemplateProgress("convert", 50, 0, 0, 5, 1_000));
    assertThat(forecast.ends(NOW)).containsExactly(in(20), in(30));
  }

  @Test
  void aTemplateThatFollowsStepByStepEndsSoonAfter() {
    RunForecast forecast =
        forecast(
            EdgeKind.ELEMENT,
            new TemplateProgress("fetch", 100, 0, 10, null, 2_000),
            new TemplateProgress("convert", 100, 0, 20, null, 1_000));
    assertThat(forecast.ends(NOW)).containsExactly(in(20), in(21));
  }

  @Test
  void whatIsNotMeasuredIsUnknownAndSoIsWhatFollows() {
    RunForecast forecast =
        forecast(
            EdgeKind.ALL,
            new TemplateProgress("fetch", 100, 0, 10, null, -1),
            new TemplateProgress("convert", 50, 0, 0, 5, 1_000));
    ExpectedEnd unknown = new ExpectedEnd(null, "no step of 'fetch' has been measured yet");
    assertThat(forecast.ends(NOW)).containsExactly(unknown, unknown);
    assertThat(forecast.end(NOW)).isEqualTo(unknown);
  }

  @Test
  void whatNeedsFailedStepsHasNoEnd() {
    RunForecast forecast =
        forecast(
            EdgeKind.ALL,
            new TemplateProgress("fetch", 0, 3, 0, null, 1_000),
            new TemplateProgress("convert", 50, 0, 0, 5, 1_000));
    assertThat(forecast.ends(NOW))
        .containsExactly(
            null,
            new ExpectedEnd(null, "needs all steps of 'fetch', of which some did not succeed"));
  }

  @Test
  void withoutARunningStepThereIsNoRate() {
    assertThat(forecast(EdgeKind.ALL, new TemplateProgress("fetch", 1, 0, 0, null, 5)).end(NOW))
        .isEqualTo(new ExpectedEnd(null, "no step is running"));
  }
}
