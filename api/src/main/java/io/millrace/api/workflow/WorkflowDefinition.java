package io.millrace.api.workflow;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A whole workflow as it is written in a file: a {@link WorkflowSpec}, whose fields it has, and the
 * listed steps with the names of what they need.
 *
 * @param name null for that of whoever contains it
 * @param steps steps that are listed one by one; null for none
 */
public record WorkflowDefinition(
    String name,
    Map<String, String> arguments,
    @JsonSerialize(using = WrittenOrder.class) Map<String, StepTemplate> templates,
    List<StepLine> steps,
    Integer maxRunning,
    boolean failFast,
    Duration timeout,
    int priority,
    JobSpec onFailure,
    JobSpec onSuccess,
    @JsonProperty("notify") Notification notification) {
  public WorkflowDefinition {
    steps = steps == null ? List.of() : List.copyOf(steps);
    WorkflowSpec checked =
        new WorkflowSpec(
            name == null ? "workflow" : name,
            arguments,
            templates,
            maxRunning,
            failFast,
            timeout,
            priority,
            onFailure,
            onSuccess,
            notification);
    arguments = checked.arguments();
    templates = checked.templates();
  }

  /**
   * A listed step.
   *
   * @param name unique in the workflow; null for none
   * @param template what it runs
   * @param arguments values for the placeholders of the template; null for none
   * @param needs names of steps, and of templates of which all steps must have succeeded; null for
   *     nothing
   */
  public record StepLine(
      String name, String template, Map<String, String> arguments, List<String> needs) {
    public StepLine {
      if (template == null) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION, "template is missing; write the name of one");
      }
      // In the order in which they are written, so that the same file has the same text.
      arguments =
          arguments == null
              ? Map.of()
              : Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
      needs = needs == null ? List.of() : List.copyOf(needs);
    }
  }

  /** Which names somebody may have meant by a wrong one, as the end of a message. */
  @FunctionalInterface
  public interface NameHint {
    /** No hints. */
    NameHint NONE = (wrong, known) -> "";

    String of(String wrong, Set<String> known);
  }

  /** Without its listed steps. */
  public WorkflowSpec spec() {
    return new WorkflowSpec(
        name,
        arguments,
        templates,
        maxRunning,
        failFast,
        timeout,
        priority,
        onFailure,
        onSuccess,
        notification);
  }

  /**
   * The same with another name, if it has none, and with changed values and jobs.
   *
   * @param argument of the values of its arguments
   * @param step of the jobs of steps
   * @param after of {@code onFailure} and {@code onSuccess}
   */
  public WorkflowDefinition changed(
      String usualName,
      UnaryOperator<String> argument,
      UnaryOperator<JobSpec> step,
      UnaryOperator<JobSpec> after) {
    Map<String, String> values = new LinkedHashMap<>();
    arguments.forEach((key, value) -> values.put(key, argument.apply(value)));
    Map<String, StepTemplate> changed = new LinkedHashMap<>();
    templates.forEach(
        (key, template) -> changed.put(key, template.withJob(step.apply(template.job()))));
    return new WorkflowDefinition(
        name == null ? usualName : name,
        values,
        changed,
        steps,
        maxRunning,
        failFast,
        timeout,
        priority,
        onFailure == null ? null : after.apply(onFailure),
        onSuccess == null ? null : after.apply(onSuccess),
        notification);
  }

  /** Its graph; what its steps need and is not there is added to the problems. */
  public WorkflowGraph graph(List<GraphProblem> problems) {
    return graph(spec(), steps, NameHint.NONE, problems);
  }

  /** The graph of these templates and steps; what steps need and is not there is a problem. */
  public static WorkflowGraph graph(
      WorkflowSpec workflow, List<StepLine> lines, NameHint hint, List<GraphProblem> problems) {
    WorkflowGraph graph = WorkflowGraph.of(workflow);
    List<StepHandle> handles = new ArrayList<>(lines.size());
    Set<String> names = new HashSet<>(graph.templates());
    for (StepLine line : lines) {
      handles.add(graph.step(line.name(), line.template(), line.arguments()));
      if (line.name() != null) {
        names.add(line.name());
      }
    }
    for (int i = 0; i < lines.size(); i++) {
      List<String> needs = lines.get(i).needs();
      for (int j = 0; j < needs.size(); j++) {
        if (names.contains(needs.get(j))) {
          need(graph, handles.get(i), needs.get(j));
        } else {
          problems.add(
              new GraphProblem(
                  "steps[%d].needs[%d]".formatted(i, j),
                  "there is no step or template '%s'%s"
                      .formatted(ShownText.of(needs.get(j)), hint.of(needs.get(j), names))));
        }
      }
    }
    return graph;
  }

  private static void need(WorkflowGraph graph, StepHandle step, String needed) {
    Optional<TemplateDraft> template = graph.template(needed);
    if (template.isPresent()) {
      step.needs(template.get());
    } else {
      graph.step(needed).ifPresent(step::needs);
    }
  }
}
