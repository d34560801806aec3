package io.millrace.cli.migration;

import io.millrace.api.Durations;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.cli.migration.StepTemplates.ImportedTemplate;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes an imported graph as a file that {@code millrace workflow submit -f} reads, one step per
 * line. All texts are quoted, so that no value is taken for something else. Used by one thread.
 */
public final class WorkflowYaml {
  private final Writer out;

  /** Writes there; the caller flushes and closes it. */
  public WorkflowYaml(Writer out) {
    this.out = out;
  }

  /** Writes it. */
  public void write(ImportedWorkflow workflow) throws IOException {
    StepTemplates templates = StepTemplates.of(workflow.steps());
    out.write("kind: workflow\nname: " + quoted(workflow.name()) + "\n");
    if (workflow.failFast()) {
      out.write("failFast: true\n");
    }
    if (workflow.atEnd() != null) {
      out.write("onFailure:\n");
      writeJob(workflow.atEnd(), "  ");
      out.write("onSuccess:\n");
      writeJob(workflow.atEnd(), "  ");
    }
    out.write("templates:\n");
    for (ImportedTemplate template : templates.all()) {
      out.write("  " + quoted(template.name()) + ":\n    job:\n");
      writeJob(template.job(), "      ");
      out.write("    listed: true\n");
      if (template.maxRunning() != null) {
        out.write("    maxRunning: " + template.maxRunning() + "\n");
      }
    }
    out.write("steps:\n");
    for (int step = 0; step < workflow.steps().size(); step++) {
      out.write(line(workflow, workflow.steps().get(step), templates.of(step)));
    }
  }

  private static String line(
      ImportedWorkflow workflow, ImportedStep step, ImportedTemplate template) {
    StringBuilder line = new StringBuilder(100);
    line.append("  - {name: ").append(quoted(step.name()));
    line.append(", template: ").append(quoted(template.name()));
    Map<String, String> arguments = template.arguments(step);
    if (!arguments.isEmpty()) {
      line.append(", arguments: ").append(map(arguments));
    }
    if (!step.needs().isEmpty()) {
      line.append(", needs: ")
          .append(
              list(step.needs().stream().map(one -> workflow.steps().get(one).name()).toList()));
    }
    return line.append("}\n").toString();
  }

  private void writeJob(JobSpec job, String indent) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("command: " + list(job.command()));
    if (!job.env().isEmpty()) {
      lines.add("env: " + map(new java.util.TreeMap<>(job.env())));
    }
    add(lines, "cwd: ", job.cwd() == null ? null : quoted(job.cwd()));
    add(lines, "slots: ", job.slots() == 1 ? null : job.slots());
    add(lines, "cpu: ", job.cpu());
    add(lines, "memory: ", job.memory());
    if (!job.resources().isEmpty()) {
      lines.add(
          job.resources().entrySet().stream()
              .map(one -> quoted(one.getKey()) + ": " + one.getValue())
              .sorted()
              .collect(Collectors.joining(", ", "resources: {", "}")));
    }
    add(lines, "priority: ", job.priority() == 0 ? null : job.priority());
    add(lines, "share: ", job.share() == null ? null : quoted(job.share()));
    add(lines, "timeout: ", job.timeout() == null ? null : Durations.format(job.timeout()));
    if (!job.retry().equals(RetryPolicy.NONE)) {
      String never =
          job.retry().finalExitCodes().isEmpty()
              ? ""
              : ", finalExitCodes: " + job.retry().finalExitCodes();
      lines.add("retry: {max: " + job.retry().max() + never + "}");
    }
    for (String line : lines) {
      out.write(indent + line + "\n");
    }
  }

  private static void add(List<String> lines, String key, Object value) {
    if (value != null) {
      lines.add(key + value);
    }
  }

  private static String list(List<String> texts) {
    return texts.stream().map(WorkflowYaml::quoted).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String map(Map<String, String> texts) {
    return texts.entrySet().stream()
        .map(one -> quoted(one.getKey()) + ": " + quoted(one.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /** A text in double quotes; what YAML does not print is escaped. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      switch (unit) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (printed(unit)) {
            quoted.append(unit);
          } else {
            quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
          }
        }
      }
    }
    return quoted.append('"').toString();
  }

  private static boolean printed(char unit) {
    return (unit >= 0x20 && unit < 0x7f)
        || (unit >= 0xa0
            && !Character.isSurrogate(unit)
            && unit != 0x2028
            && unit != 0x2029
            && unit != 0xfeff
            && unit < 0xfffe
            && Character.getType(unit) != Character.FORMAT);
  }
}
