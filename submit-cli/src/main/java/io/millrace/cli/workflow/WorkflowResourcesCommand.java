package io.millrace.cli.workflow;

import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.api.Sizes;
import io.millrace.api.workflow.WorkflowResources;
import io.millrace.api.workflow.WorkflowResources.AdjustedResources;
import io.millrace.api.workflow.WorkflowResources.MeasuredResources;
import io.millrace.api.workflow.WorkflowResources.RequestedResources;
import io.millrace.api.workflow.WorkflowResources.TemplateResources;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "resources",
    description = "Shows what the steps of a workflow asked for and used, by template.",
    footer = {
      "",
      "Examples:",
      "  millrace workflow resources 17",
      "  millrace workflow resources 17 --template fetch",
      "  millrace workflow resources 17 --as-yaml > measured.yaml",
      "  millrace workflow submit -f nightly.yaml --resources measured.yaml",
      "",
      "The template that wastes most memory is shown first. UNUSED is memory that was asked for and"
          + " not",
      "used, times the run time. With --as-yaml, each template gets the largest measured memory and"
          + " a",
      "fifth, and twice the longest run time."
    })
final class WorkflowResourcesCommand implements Runnable {
  private final Invocation invocation;

  @Parameters(paramLabel = "ID", description = "Number of the workflow.")
  private long id;

  @Option(names = "--template", paramLabel = "NAME", description = "Only this template.")
  private String template;

  @Option(
      names = "--as-yaml",
      description = "Print the requests for next time, for 'workflow submit --resources'.")
  private boolean yaml;

  WorkflowResourcesCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public void run() {
    OptionRefusal.unless(!yaml || !invocation.json(), "--as-yaml", "cannot be used with --json");
    WorkflowResources resources = invocation.central().workflows().resources(id, template);
    if (yaml) {
      invocation.lines(fragment(resources));
      return;
    }
    invocation.list(resources, () -> table(resources.templates()), "no templates");
    resources.templates().stream()
        .map(WorkflowResourcesCommand::unmeasured)
        .flatMap(Optional::stream)
        .forEach(line -> invocation.note(Escaping.text(line)));
  }

  /** How many steps do not count in the mean and in what to ask for next time, if any. */
  private static Optional<String> unmeasured(TemplateResources template) {
    long steps = template.measured().steps();
    long unknown = steps - template.measured().measured();
    return unknown == 0
        ? Optional.empty()
        : Optional.of(
            "%s: memory not measured of %s of %s, which ended before the first sample"
                .formatted(template.name(), Figures.count(unknown), Figures.count(steps, "step")));
  }

  private static Table table(List<TemplateResources> templates) {
    Table table =
        new Table(
            Column.left("TEMPLATE", 40),
            Column.right("STEPS"),
            Column.right("MEMORY"),
            Column.right("MEM MEAN"),
            Column.right("MEM MAX"),
            Column.right("UNUSED"),
            Column.right("TIMEOUT"),
            Column.right("RUN MEAN"),
            Column.right("RUN MAX"),
            Column.right("CPU"),
            Column.right("CPU USED"),
            Column.right("ADJUSTED"),
            Column.left("TO"));
    for (TemplateResources one : templates) {
      RequestedResources asked = one.asked();
      MeasuredResources used = one.measured();
      table.row(
          one.name(),
          Figures.count(used.steps()),
          size(asked.memory()),
          size(used.memoryMean()),
          size(used.memoryMax()),
          one.unusedMemoryHours() == 0 ? "-" : Figures.rate(one.unusedMemoryHours()) + "GBh",
          asked.timeout() == null ? "-" : Durations.format(asked.timeout()),
          time(used.runMean()),
          time(used.runMax()),
          asked.cpu() == null ? "-" : Figures.rate(asked.cpu()),
          processors(used),
          one.adjusted().steps() == 0 ? "-" : Figures.count(one.adjusted().steps(), "step"),
          highest(one.adjusted()));
    }
    return table;
  }

  private static String size(DataSize size) {
    return size == null ? "-" : Sizes.readable(size.bytes());
  }

  private static String time(Duration time) {
    return time == null ? "-" : Ages.took(time);
  }

  private static String processors(MeasuredResources used) {
    return used.cpuMean() == null || used.runMean().isZero()
        ? "-"
        : Figures.rate((double) used.cpuMean().toMillis() / used.runMean().toMillis());
  }

  private static String highest(AdjustedResources adjusted) {
    if (adjusted.steps() == 0) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    if (adjusted.memory() != null) {
      parts.add(Sizes.readable(adjusted.memory().bytes()));
    }
    if (adjusted.timeout() != null) {
      parts.add(Durations.format(adjusted.timeout()));
    }
    return String.join(", ", parts);
  }

  private static List<String> fragment(WorkflowResources resources) {
    List<String> lines = new ArrayList<>();
    lines.add("# measured by workflow %d".formatted(resources.id()));
    List<String> templates = new ArrayList<>();
    for (TemplateResources one : resources.templates()) {
      List<String> keys = new ArrayList<>();
      if (one.next().memory() != null) {
        keys.add("memory: " + one.next().memory());
      }
      if (one.next().timeout() != null) {
        keys.add("timeout: " + Durations.format(one.next().timeout()));
      }
      if (!keys.isEmpty()) {
        templates.add("  %s: {job: {%s}}".formatted(quoted(one.name()), String.join(", ", keys)));
      }
    }
    lines.add(templates.isEmpty() ? "templates: {}" : "templates:");
    lines.addAll(templates);
    return lines;
  }

  // A name such as 1.10, no or null would be read as another value.
  private static String quoted(String name) {
    return "'" + name + "'";
  }
}
