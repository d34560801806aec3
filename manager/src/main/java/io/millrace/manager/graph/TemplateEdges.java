package io.millrace.manager.graph;

import io.millrace.api.Pure;
import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.manager.graph.StepGraph.TemplatePair;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the templates of a workflow wait for, and an order of the templates in which each comes
 * after those it waits for. Steps that are listed one by one may make templates wait for one
 * another; edges that close such a cycle are left out of the order. Pure; immutable.
 */
@Pure
public final class TemplateEdges {
  /** The most edges of a workflow; further ones are not kept. */
  public static final int MAX = 20_000;

  private final List<EdgeRow> forward;
  private final int[] order;
  private final int[] layers;

  /**
   * A row of the table {@code workflow_edge}.
   *
   * @param steps as of {@link io.millrace.api.workflow.TemplateGraph.TemplateEdge}
   */
  public record EdgeRow(int from, int to, EdgeKind kind, int steps) {}

  /** The order of that many templates. */
  public TemplateEdges(int templates, List<EdgeRow> edges) {
    List<List<EdgeRow>> following = new ArrayList<>();
    for (int i = 0; i < templates; i++) {
      following.add(new ArrayList<>());
    }
    edges.forEach(edge -> following.get(edge.from()).add(edge));
    List<Integer> finished = new ArrayList<>();
    this.forward = new ArrayList<>();
    byte[] colours = new byte[templates];
    for (int template = 0; template < templates; template++) {
      visit(template, following, colours, finished);
    }
    Collections.reverse(finished);
    this.order = finished.stream().mapToInt(Integer::intValue).toArray();
    this.layers = new int[templates];
    Map<Integer, List<EdgeRow>> before = before();
    for (int template : order) {
      for (EdgeRow edge : before.getOrDefault(template, List.of())) {
        layers[template] = Math.max(layers[template], layers[edge.from()] + 1);
      }
    }
  }

  /** An unfinished template, and which of its edges is looked at next. */
  private static final class Visit {
    private final int template;
    private int next;

    Visit(int template) {
      this.template = template;
    }
  }

  // Depth first, without recursion: chains may have 10,000 templates.
  private void visit(
      int start, List<List<EdgeRow>> following, byte[] colours, List<Integer> finished) {
    if (colours[start] != 0) {
      return;
    }
    Deque<Visit> open = new ArrayDeque<>();
    open.push(new Visit(start));
    colours[start] = 1;
    while (!open.isEmpty()) {
      Visit visit = open.peek();
      List<EdgeRow> edges = following.get(visit.template);
      if (visit.next == edges.size()) {
        colours[visit.template] = 2;
        finished.add(visit.template);
        open.pop();
        continue;
      }
      EdgeRow edge = edges.get(visit.next++);
      if (colours[edge.to()] == 1) {
        continue;
      }
      forward.add(edge);
      if (colours[edge.to()] == 0) {
        colours[edge.to()] = 1;
        open.push(new Visit(edge.to()));
      }
    }
  }

  /** The edges of a graph that was checked. */
  public static List<EdgeRow> of(WorkflowPlan plan, StepGraph graph) {
    List<EdgeRow> edges = new ArrayList<>();
    Map<TemplatePair, Integer> whole = new HashMap<>(graph.wholeNeeds());
    for (PlannedTemplate to : plan.templates()) {
      for (int from : to.needsAll()) {
        whole.put(new TemplatePair(from, to.number()), graph.steps(to.number()));
      }
    }
    whole.forEach(
        (pair, steps) -> edges.add(new EdgeRow(pair.from(), pair.to(), EdgeKind.ALL, steps)));
    Map<TemplatePair, EdgeKind> related = new HashMap<>();
    for (Relation relation : plan.relations()) {
      EdgeKind kind = relation.match() == NeedMatch.ELEMENT ? EdgeKind.ELEMENT : EdgeKind.ARGUMENT;
      EdgeRow edge = new EdgeRow(relation.from(), relation.to(), kind, graph.steps(relation.to()));
      // Two needs by different arguments of the same template are one edge.
      if (related.put(new TemplatePair(relation.from(), relation.to()), kind) != kind) {
        edges.add(edge);
      }
    }
    graph
        .needsBetween(MAX)
        .forEach(
            (pair, needs) -> edges.add(new EdgeRow(pair.from(), pair.to(), EdgeKind.STEPS, needs)));
    return List.copyOf(edges.subList(0, Math.min(MAX, edges.size())));
  }

  /** The templates, each after those that it waits for. */
  public int[] order() {
    return order.clone();
  }

  /** The layer of a template: above those of all templates that it waits for. */
  public int layer(int template) {
    return layers[template];
  }

  /** The edges to each template that come from templates before it in the order. */
  public Map<Integer, List<EdgeRow>> before() {
    Map<Integer, List<EdgeRow>> before = new HashMap<>();
    forward.forEach(edge -> before.computeIfAbsent(edge.to(), one -> new ArrayList<>()).add(edge));
    return before;
  }
}
