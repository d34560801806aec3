package io.millrace.api.workflow;

import io.millrace.api.workflow.WorkflowView.TemplateView;
import java.util.List;

/**
 * The graph of the templates of a workflow: what waits for what, however many steps there are.
 *
 * @param workflow its number
 * @param templates in the order of the definition
 * @param edges from what must succeed to what waits, by rising position of both templates
 * @param complete false if there are more edges than are kept
 */
public record TemplateGraph(
    long workflow, List<TemplateNode> templates, List<TemplateEdge> edges, boolean complete) {
  public TemplateGraph {
    templates = List.copyOf(templates);
    edges = List.copyOf(edges);
  }

  /**
   * A template in the graph.
   *
   * @param template with its progress
   * @param layer 0 if it waits for no other one, otherwise above all layers that it waits for; of
   *     templates whose steps wait for one another in both directions, the one defined first has
   *     the lower layer
   */
  public record TemplateNode(TemplateView template, int layer) {}

  /**
   * Steps of one template that wait for steps of another one, or of the same.
   *
   * @param from the template that must succeed
   * @param to the template that waits
   * @param kind for which of its steps
   * @param steps how many steps wait; of STEPS, how many needs there are
   */
  public record TemplateEdge(String from, String to, EdgeKind kind, int steps) {}

  /** For which steps of another template a step waits. */
  public enum EdgeKind {
    /** For all of them. */
    ALL,
    /** For the one at the same position. */
    ELEMENT,
    /** For those with the same arguments. */
    ARGUMENT,
    /** For those that it names. */
    STEPS
  }
}
