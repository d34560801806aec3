package io.millrace.cli.workflow;

import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.CriticalPath.PathLevel;
import io.millrace.api.workflow.CriticalPath.PathLink;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.util.List;

/** Formats critical paths. */
final class CriticalPathFormatter {
  private CriticalPathFormatter() {}

  static List<String> lines(CriticalPath path, Palette palette) {
    boolean steps = path.level() == PathLevel.STEPS;
    String thing = steps ? "step" : "template";
    FieldList fields = new FieldList(palette);
    fields.title("critical path of workflow " + path.workflow());
    fields.value("takes", Ages.took(path.seconds()));
    fields.value("consists of", Figures.count(path.links().size() + path.skipped(), thing));
    fields.value(
        "unmeasured",
        path.unmeasured() == 0
            ? null
            : Figures.count(path.unmeasured(), thing)
                + (path.unmeasured() == 1 ? ", which counts as 0s" : ", which count as 0s"));
    Table table =
        steps
            ? new Table(
                Column.right("STEP"),
                Column.left("NAME", 40),
                Column.left("TEMPLATE", 40),
                Column.right("TOOK"))
            : new Table(Column.left("TEMPLATE", 40), Column.right("MEAN STEP"));
    for (PathLink link : path.links()) {
      if (steps) {
        table.row(
            String.valueOf(link.step()),
            link.name() == null ? "-" : link.name(),
            link.template(),
            Ages.took(link.seconds()));
      } else {
        table.row(link.template(), Ages.took(link.seconds()));
      }
    }
    fields.table("First to last", table);
    if (path.skipped() > 0) {
      fields.note("%s in the middle are not shown".formatted(Figures.count(path.skipped(), thing)));
    }
    return fields.lines();
  }
}
