package io.millrace.cli.workflow;

import io.millrace.api.workflow.WorkflowEvent;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.ExpectedEnd;
import io.millrace.api.workflow.WorkflowView.PendingReset;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Formats workflows. */
final class WorkflowFormatter {
  private WorkflowFormatter() {}

  /** A state as a coloured cell; a paused workflow is shown as such while it runs. */
  static Cell state(WorkflowView workflow) {
    if (workflow.paused() && workflow.state() == WorkflowState.RUNNING) {
      return Cell.of("running, paused", Style.WARNING);
    }
    Style style =
        switch (workflow.state()) {
          case BINDING, CHECKING, CANCELLING -> Style.WARNING;
          case RUNNING -> Style.ACTIVE;
          case SUCCEEDED -> Style.GOOD;
          case FAILED, REFUSED -> Style.BAD;
          case CANCELLED -> Style.FAINT;
        };
    return new Cell(lowerCase(workflow.state()), style);
  }

  static String lowerCase(WorkflowState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** {@code is running}, {@code has failed}, {@code is being cancelled}. */
  private static String words(WorkflowState state) {
    return switch (state) {
      case BINDING -> "is still being submitted";
      case CHECKING -> "is being checked";
      case CANCELLING -> "is being cancelled";
      case RUNNING -> "is running";
      case SUCCEEDED, FAILED -> "has " + lowerCase(state);
      case CANCELLED, REFUSED -> "was " + lowerCase(state);
    };
  }

  /** What a submission did to a workflow that existed. */
  static String outcome(WorkflowView workflow) {
    String state = "it " + words(workflow.state());
    if (workflow.outcome() == null) {
      return state;
    }
    return switch (workflow.outcome()) {
      case CREATED -> state;
      case CONTINUED -> "its submission continues";
      case RESUMED -> "it is resumed with this definition";
      case UNCHANGED ->
          state
              + " and was left unchanged"
              + (workflow.state() == WorkflowState.RUNNING
                  ? "; --resume hot or --resume cold applies this definition"
                  : "");
    };
  }

  /** {@code 312/1,000}: how many steps have succeeded. */
  static String succeeded(StepProgress progress) {
    return Figures.count(progress.succeeded()) + "/" + Figures.count(progress.steps());
  }

  /** The same of a template, or {@code after list} as long as a step has not given its list. */
  static String succeeded(TemplateView template) {
    return template.awaits() == null
        ? succeeded(template.progress())
        : "after " + template.awaits().template();
  }

  /** {@code 312 of 1,000 steps succeeded, 20 released, 3 failed}. */
  static String progress(StepProgress progress) {
    StringBuilder text = new StringBuilder();
    text.append(Figures.count(progress.succeeded())).append(" of ");
    text.append(Figures.count(progress.steps(), "step")).append(" succeeded");
    append(text, progress.released(), " released");
    append(text, progress.failed(), " failed");
    append(text, progress.cancelled(), " cancelled");
    return text.toString();
  }

  private static void append(StringBuilder text, int count, String what) {
    if (count > 0) {
      text.append(", ").append(Figures.count(count)).append(what);
    }
  }

  /** {@code workflow 17 (nightly) failed: …}. */
  static String ending(WorkflowView workflow) {
    return "workflow %d (%s) %s%s"
        .formatted(
            workflow.id(),
            workflow.name(),
            lowerCase(workflow.state()),
            workflow.reason() == null ? "" : ": " + workflow.reason());
  }

  private static String limit(Integer maxRunning) {
    return maxRunning == null ? "-" : Figures.count(maxRunning);
  }

  /** Workflows, one per row. */
  static Table table(List<WorkflowView> workflows, Instant now) {
    Table table =
        new Table(
            Column.right("ID"),
            Column.left("NAME", 40),
            Column.left("RUN KEY", 30),
            Column.left("STATE"),
            Column.right("SUCCEEDED"),
            Column.right("RELEASED"),
            Column.right("FAILED"),
            Column.left("OWNER", 20),
            Column.right("AGE"),
            Column.right("TOOK"));
    for (WorkflowView workflow : workflows) {
      table.row(
          String.valueOf(workflow.id()),
          workflow.name(),
          workflow.runKey().isEmpty() ? "-" : workflow.runKey(),
          state(workflow),
          succeeded(workflow.progress()),
          workflow.progress().released(),
          failed(workflow.progress()),
          workflow.owner(),
          Ages.since(workflow.submittedAt(), now),
          took(workflow, now));
    }
    return table;
  }

  private static Cell failed(StepProgress progress) {
    Cell count = Cell.of(progress.failed());
    return progress.failed() == 0 ? count : new Cell(count.text(), Style.BAD);
  }

  private static String took(WorkflowView workflow, Instant now) {
    return Ages.between(
        workflow.startedAt(), workflow.endedAt() == null ? now : workflow.endedAt());
  }

  /** A workflow with its templates. */
  static List<String> description(WorkflowDetails details, Instant now, Palette palette) {
    WorkflowView workflow = details.workflow();
    FieldList fields = new FieldList(palette);
    fields.title("workflow %d: %s".formatted(workflow.id(), workflow.name()));
    fields.value("state", state(workflow));
    fields.value("reason", reason(workflow));
    fields.value("run key", workflow.runKey().isEmpty() ? null : workflow.runKey());
    fields.value("owner", workflow.owner());
    fields.value("steps", progress(workflow.progress()));
    if (workflow.state() == WorkflowState.BINDING) {
      fields.value("received", Figures.count(workflow.progress().bound(), "listed step"));
    }
    fields.value("limit", workflow.maxRunning() == null ? null : limit(workflow.maxRunning()));
    fields.value("revision", workflow.revision() == 1 ? null : workflow.revision());
    fields.value("submitted", workflow.submittedAt());
    fields.value("started", workflow.startedAt());
    fields.value("ended", workflow.endedAt());
    fields.value("took", workflow.startedAt() == null ? null : took(workflow, now));
    fields.value("ends", ends(details.expectedEnd(), now));
    for (TemplateView template : details.templates()) {
      if (template.pause() != null) {
        fields.value("paused", Cell.of(pause(workflow.id(), template), Style.WARNING));
      }
    }
    fields.value("archived", details.archivedAt());
    fields.value("reset", reset(details.reset()));
    details.warnings().forEach(warning -> fields.value("warning", warning));
    fields.table("Templates", templates(details.templates(), now));
    fields.table("Changes", events(details.events(), now));
    return fields.lines();
  }

  private static String reason(WorkflowView workflow) {
    return workflow.reason() == null && workflow.state() == WorkflowState.BINDING
        ? "its submission has not ended; the same 'workflow submit' continues it"
        : workflow.reason();
  }

  private static String pause(long workflow, TemplateView template) {
    return template.pause().trying()
        ? "template %s, since %s: %s; a few steps at a time are tried"
            .formatted(template.name(), template.pause().since(), template.pause().reason())
        : "template %s, since %s: %s; 'millrace workflow resume %d --template %s' tries some steps"
            .formatted(
                template.name(),
                template.pause().since(),
                template.pause().reason(),
                workflow,
                template.name());
  }

  /** {@code by ann: 12 steps left}; null if nothing is being reset. */
  private static String reset(PendingReset reset) {
    if (reset == null) {
      return null;
    }
    String left = reset.left() == 0 ? "" : ": " + Figures.count(reset.left(), "step") + " left";
    return "by "
        + reset.actor()
        + left
        + (reset.ending() ? "; what runs of them is ended first" : "");
  }

  /** What operators did, one event per row. */
  static Table events(List<WorkflowEvent> events, Instant now) {
    Table table = new Table(Column.right("AGE"), Column.left("BY", 20), Column.left("EVENT", 100));
    for (WorkflowEvent event : events) {
      table.row(Ages.since(event.at(), now), event.actor(), event.event());
    }
    return table;
  }

  /** {@code in about 12m, 2026-03-01T12:12:00Z}; null if nothing is expected. */
  private static String ends(ExpectedEnd end, Instant now) {
    if (end == null) {
      return null;
    }
    return end.at() == null
        ? "unknown: " + end.unknown()
        : "in about %s, %s".formatted(left(end, now), end.at().truncatedTo(ChronoUnit.SECONDS));
  }

  private static String left(ExpectedEnd end, Instant now) {
    return Ages.age(Duration.between(now, end.at()));
  }

  private static String endsIn(TemplateView template, Instant now) {
    ExpectedEnd end = template.expectedEnd();
    if (end == null) {
      return "-";
    }
    return end.at() == null ? "unknown" : left(end, now);
  }

  private static Table templates(List<TemplateView> templates, Instant now) {
    Table table =
        new Table(
            Column.left("TEMPLATE", 40),
            Column.right("SUCCEEDED"),
            Column.right("RUNNING"),
            Column.right("QUEUED"),
            Column.right("FAILED"),
            Column.right("CANCELLED"),
            Column.right("LIMIT"),
            Column.right("ENDS IN"),
            Column.right("ARRAY"));
    for (TemplateView template : templates) {
      StepProgress progress = template.progress();
      table.row(
          template.name(),
          succeeded(template),
          template.running(),
          template.queued(),
          failed(progress),
          progress.cancelled(),
          limit(template.maxRunning()),
          endsIn(template, now),
          template.array() == null ? "-" : template.array().toString());
    }
    return table;
  }
}
