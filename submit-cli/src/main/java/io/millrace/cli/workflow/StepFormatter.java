package io.millrace.cli.workflow;

import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.cli.job.AttemptTable;
import io.millrace.cli.job.ExplanationDescription;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import io.millrace.cli.workflow.StepCommands.ExplainedStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats steps of workflows. */
final class StepFormatter {
  private StepFormatter() {}

  /** {@code step 301 (one) of 'work'}. */
  static String title(StepView step) {
    return "step %d%s of '%s'"
        .formatted(
            step.step(), step.name() == null ? "" : " (" + step.name() + ")", step.template());
  }

  private static Cell state(WorkflowStepState state) {
    Style style =
        switch (state) {
          case WAITING -> Style.FAINT;
          case RELEASED -> Style.ACTIVE;
          case SUCCEEDED -> Style.GOOD;
          case FAILED -> Style.BAD;
          case CANCELLED -> Style.WARNING;
        };
    return new Cell(state.name().toLowerCase(Locale.ROOT), style);
  }

  /** Steps, one per row. */
  static Table table(List<StepView> steps) {
    Table table =
        new Table(
            Column.right("STEP"),
            Column.left("NAME", 40),
            Column.left("TEMPLATE", 40),
            Column.left("STATE"),
            Column.left("ARGUMENTS", 60));
    for (StepView step : steps) {
      table.row(
          String.valueOf(step.step()),
          step.name() == null ? "-" : step.name(),
          step.template(),
          state(step.state()),
          arguments(step));
    }
    return table;
  }

  private static String arguments(StepView step) {
    return step.arguments().entrySet().stream()
        .map(argument -> argument.getKey() + "=" + argument.getValue())
        .collect(Collectors.joining(" "));
  }

  /** A step with what it waits for and its attempts. */
  static List<String> description(
      long workflow, ExplainedStep explained, Instant now, Palette palette) {
    StepDetails details = explained.step();
    StepView step = details.step();
    FieldList fields = new FieldList(palette);
    fields.title(title(step) + " of workflow " + workflow);
    fields.value("state", state(step.state()));
    fields.value("arguments", step.arguments().isEmpty() ? null : arguments(step));
    String label = "reason";
    for (String reason : details.reasons()) {
      fields.value(label, reason);
      label = "also";
    }
    fields.value("job", details.job());
    fields.value(
        "output",
        details.attempts().isEmpty()
            ? null
            : "millrace workflow logs " + workflow + " " + step.step());
    fields.table("Needs", table(details.needs()));
    if (details.moreNeeds() > 0) {
      fields.note("and %s more".formatted(Figures.count(details.moreNeeds())));
    }
    fields.table("Attempts", AttemptTable.of(details.attempts(), now));
    fields.table("Changes", WorkflowFormatter.events(details.events(), now));
    List<String> lines = new ArrayList<>(fields.lines());
    if (explained.job() != null) {
      lines.add("");
      lines.addAll(
          new ExplanationDescription(explained.job(), details.reasons(), now, palette).lines());
    }
    return lines;
  }
}
