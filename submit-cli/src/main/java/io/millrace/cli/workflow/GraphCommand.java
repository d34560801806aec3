package io.millrace.cli.workflow;

import io.millrace.api.workflow.TemplateGraph;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "graph",
    description = "Shows the templates of a workflow by layers, with what they wait for.",
    footer = {
      "",
      "Examples:",
      "  millrace workflow graph 17",
      "  millrace workflow graph 17 --dot | dot -Tsvg > graph.svg",
      "",
      "Each template is indented below those that it waits for. Needs of single steps are summed"
          + " up."
    })
final class GraphCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "ID", description = "Number of the workflow.")
  private long workflow;

  @Option(names = "--dot", description = "Print the graph in the language of Graphviz.")
  private boolean dot;

  GraphCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    TemplateGraph graph = invocation.central().workflows().graph(workflow);
    if (dot) {
      invocation.lines(GraphFormatter.dot(graph));
      return 0;
    }
    invocation.show(graph, () -> GraphFormatter.layers(graph, invocation.palette()));
    if (!graph.complete() && !invocation.json()) {
      invocation.note("there are more edges than are kept");
    }
    return 0;
  }
}
