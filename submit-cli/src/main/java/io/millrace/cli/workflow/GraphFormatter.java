package io.millrace.cli.workflow;

import io.millrace.api.workflow.TemplateGraph;
import io.millrace.api.workflow.TemplateGraph.TemplateEdge;
import io.millrace.api.workflow.TemplateGraph.TemplateNode;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Formats graphs of templates. */
final class GraphFormatter {
  private static final int MAX_INDENT = 20;
  private static final int MAX_NEEDS = 20;

  private GraphFormatter() {}

  /** One line for each template, layer by layer, indented by its layer. */
  static List<String> layers(TemplateGraph graph, Palette palette) {
    Map<String, List<TemplateEdge>> needs = new HashMap<>();
    graph
        .edges()
        .forEach(edge -> needs.computeIfAbsent(edge.to(), to -> new ArrayList<>()).add(edge));
    List<String> lines = new ArrayList<>();
    graph.templates().stream()
        .sorted(Comparator.comparingInt(TemplateNode::layer))
        .forEach(
            node ->
                lines.add(
                    line(node, needs.getOrDefault(node.template().name(), List.of()), palette)));
    return lines;
  }

  private static String line(TemplateNode node, List<TemplateEdge> needs, Palette palette) {
    TemplateView template = node.template();
    StringBuilder line = new StringBuilder();
    line.append("  ".repeat(Math.min(MAX_INDENT, node.layer())));
    line.append(palette.paint(style(template), Escaping.text(template.name())));
    line.append("  ").append(progress(template));
    String before = "  needs ";
    for (TemplateEdge need : needs.subList(0, Math.min(MAX_NEEDS, needs.size()))) {
      line.append(before).append(Escaping.text(need.from())).append(' ').append(text(need));
      before = ", ";
    }
    if (needs.size() > MAX_NEEDS) {
      line.append(" and ").append(Figures.count(needs.size() - MAX_NEEDS)).append(" more");
    }
    return line.toString();
  }

  private static Style style(TemplateView template) {
    StepProgress progress = template.progress();
    if (template.awaits() != null) {
      return Style.FAINT;
    }
    if (progress.failed() > 0) {
      return Style.BAD;
    }
    if (progress.succeeded() == progress.steps()) {
      return Style.GOOD;
    }
    return progress.released() > 0 ? Style.ACTIVE : Style.FAINT;
  }

  private static String progress(TemplateView template) {
    StringBuilder text = new StringBuilder(WorkflowFormatter.succeeded(template));
    append(text, template.running(), "running");
    append(text, template.queued(), "queued");
    append(text, template.progress().failed(), "failed");
    append(text, template.progress().cancelled(), "cancelled");
    return text.toString();
  }

  private static void append(StringBuilder text, int count, String what) {
    if (count > 0) {
      text.append(", ").append(Figures.count(count)).append(' ').append(what);
    }
  }

  private static String text(TemplateEdge edge) {
    return switch (edge.kind()) {
      case ALL -> "(all)";
      case ELEMENT -> "(element)";
      case ARGUMENT -> "(by argument)";
      case STEPS -> "(" + Figures.count(edge.steps(), "need") + ")";
    };
  }

  /** The graph in the language of Graphviz. */
  static List<String> dot(TemplateGraph graph) {
    List<String> lines = new ArrayList<>();
    lines.add("digraph workflow_" + graph.workflow() + " {");
    lines.add("  node [shape=box];");
    for (TemplateNode node : graph.templates()) {
      TemplateView template = node.template();
      lines.add(
          "  %s [label=%s, color=%s];"
              .formatted(
                  quoted(template.name()),
                  quoted(template.name() + "\\n" + progress(template)),
                  colour(template)));
    }
    for (TemplateEdge edge : graph.edges()) {
      lines.add(
          "  %s -> %s [label=%s];"
              .formatted(quoted(edge.from()), quoted(edge.to()), quoted(text(edge))));
    }
    lines.add("}");
    return lines;
  }

  private static String colour(TemplateView template) {
    return switch (style(template)) {
      case BAD -> "red";
      case GOOD -> "darkgreen";
      case ACTIVE -> "blue";
      default -> "gray";
    };
  }

  // Names of templates consist of letters, digits, dots, dashes and underscores.
  private static String quoted(String text) {
    return '"' + text.replace("\"", "\\\"") + '"';
  }
}
