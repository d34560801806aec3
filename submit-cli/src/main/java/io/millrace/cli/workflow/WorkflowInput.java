package io.millrace.cli.workflow;

import io.millrace.api.MillraceException;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.cli.invocation.Invocation;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that name a workflow and what replaces parts of it. */
final class WorkflowInput {
  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "Workflow, YAML or JSON; - for standard input (required).")
  private Path file;

  @Option(
      names = "--arg",
      paramLabel = "K=V",
      description = "Value of an argument, instead of that in the file; may be repeated.")
  private final Map<String, String> arguments = new LinkedHashMap<>();

  @Option(
      names = "--resources",
      paramLabel = "FILE",
      description = "Requests that replace those of templates; see 'workflow resources'.")
  private Path resources;

  @Option(
      names = "--steps",
      paramLabel = "FILE",
      description = "Listed steps besides those of the workflow, one JSON object on each line.")
  private Path steps;

  @Mixin private RunKey runKey;

  /**
   * The graph of the workflow.
   *
   * @param check finds further problems of a graph that has no others
   * @throws MillraceException INVALID_REQUEST with what is wrong with it or with the options
   */
  WorkflowGraph read(Invocation invocation, Function<WorkflowGraph, List<GraphProblem>> check) {
    runKey.value();
    return new WorkflowFile(file, invocation.terminal().in())
        .read(arguments, resources == null ? null : new ResourcesFile(resources), steps, check);
  }

  /**
   * The graph of the workflow, as far as it is checked before every submission.
   *
   * @throws MillraceException INVALID_REQUEST with what is wrong with it or with the options
   */
  WorkflowGraph read(Invocation invocation) {
    return read(invocation, graph -> List.of());
  }

  /** Null for none. */
  String runKey() {
    return runKey.value();
  }
}
