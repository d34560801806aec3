package io.millrace.manager.graph;

import io.millrace.api.Pure;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.manager.graph.WorkflowPlan.MatchingSteps;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The longest chain of steps by their run times. Nodes are the steps, the beginning and the end of
 * each template, and the combinations of arguments that steps wait for; the finish of each is that
 * of the latest node before it, and its own run. Some 20 bytes for each step and need. Not
 * thread-safe; used once.
 */
@Pure
public final class StepChain {
  private static final byte OPEN = 1;
  private static final byte DONE = 2;

  private final WorkflowPlan plan;
  private final int[] runMillis;
  private final ListedNeeds listed;
  private final int steps;
  private final int templates;
  private final int[] firstCombination;
  private final int[] firstMember;
  private final int[] members;
  private final byte[] states;
  private final long[] finish;
  private final int[] latest;
  private int[] stack = new int[1024];
  private int depth;

  /**
   * What listed steps need.
   *
   * @param templates the template of each, by position among the listed steps
   * @param needs the steps that each needs
   * @param all the templates that some need as a whole
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  public record ListedNeeds(int[] templates, int[][] needs, Map<Integer, int[]> all) {}

  /**
   * A chain.
   *
   * @param steps their numbers, the first to run first
   * @param millis how long they run together
   */
  public record Chain(List<Integer> steps, long millis) {}

  /**
   * Prepares the search.
   *
   * @param runMillis how long each step ran; 0 for those that are not measured
   */
  public StepChain(WorkflowPlan plan, int[] runMillis, ListedNeeds listed) {
    this.plan = plan;
    this.runMillis = runMillis;
    this.listed = listed;
    this.steps = runMillis.length;
    this.templates = plan.templates().size();
    this.firstCombination = new int[plan.relations().size()];
    int nodes = steps + 2 * templates;
    for (Relation relation : plan.relations()) {
      firstCombination[relation.number()] = nodes;
      nodes += combinations(plan, relation);
    }
    this.firstMember = new int[templates + 1];
    this.members = new int[listed.templates().length];
    gatherMembers();
    this.states = new byte[nodes];
    this.finish = new long[nodes];
    this.latest = new int[nodes];
  }

  // The positions of listed steps, template by template.
  private void gatherMembers() {
    for (int template : listed.templates()) {
      firstMember[template + 1]++;
    }
    for (int i = 0; i < templates; i++) {
      firstMember[i + 1] += firstMember[i];
    }
    int[] next = Arrays.copyOf(firstMember, templates);
    for (int position = 0; position < members.length; position++) {
      members[next[listed.templates()[position]]++] = position;
    }
  }

  /** How many combinations of arguments a relation has; none for one by position. */
  public static int combinations(WorkflowPlan plan, Relation relation) {
    int count = relation.match() == NeedMatch.ARGUMENT ? 1 : 0;
    for (int list : relation.fromLists()) {
      count *= plan.templates().get(relation.from()).sizes()[list];
    }
    return count;
  }

  /** The longest chain of a graph without cycles; empty if there are no steps. */
  public Chain longest() {
    int last = -1;
    for (int step = 0; step < steps; step++) {
      finish(step);
      if (last < 0 || finish[step] > finish[last]) {
        last = step;
      }
    }
    if (last < 0) {
      return new Chain(List.of(), 0);
    }
    List<Integer> chain = new ArrayList<>();
    for (int node = last; node >= 0; node = latest[node]) {
      if (node < steps) {
        chain.add(node);
      }
    }
    Collections.reverse(chain);
    return new Chain(chain, finish[last]);
  }

  // Depth first, without recursion: chains may be as long as the workflow.
  private void finish(int start) {
    push(start);
    while (depth > 0) {
      int node = stack[depth - 1];
      if (states[node] == 0) {
        states[node] = OPEN;
        before(node, this::pushUnfinished);
        continue;
      }
      depth--;
      if (states[node] == OPEN) {
        states[node] = DONE;
        latest[node] = -1;
        before(node, other -> later(node, other));
        finish[node] += node < steps ? runMillis[node] : 0;
      }
    }
  }

  private void push(int node) {
    if (depth == stack.length) {
      stack = Arrays.copyOf(stack, 2 * depth);
    }
    stack[depth++] = node;
  }

  private void pushUnfinished(int node) {
    if (states[node] == 0) {
      push(node);
    }
  }

  private void later(int node, int before) {
    if (latest[node] < 0 || finish[before] > finish[node]) {
      latest[node] = before;
      finish[node] = finish[before];
    }
  }

  private int begin(int template) {
    return steps + template;
  }

  private int end(int template) {
    return steps + templates + template;
  }

  private void before(int node, IntConsumer to) {
    if (node < steps) {
      beforeStep(node, to);
    } else if (node < steps + templates) {
      plan.templates().get(node - steps).needsAll().forEach(all -> to.accept(end(all)));
    } else if (node < steps + 2 * templates) {
      beforeEnd(plan.templates().get(node - steps - templates), to);
    } else {
      beforeCombination(node, to);
    }
  }

  private void beforeStep(int step, IntConsumer to) {
    if (step >= plan.fixedSteps()) {
      int position = step - plan.fixedSteps();
      to.accept(begin(listed.templates()[position]));
      for (int need : listed.needs()[position]) {
        to.accept(need);
      }
      for (int template : listed.all().getOrDefault(position, new int[0])) {
        to.accept(end(template));
      }
      return;
    }
    PlannedTemplate template = plan.ofFixed(step);
    to.accept(begin(template.number()));
    for (Relation relation : template.after()) {
      to.accept(
          relation.match() == NeedMatch.ELEMENT
              ? plan.templates().get(relation.from()).first() + step - template.first()
              : firstCombination[relation.number()] + plan.wanted(relation, step));
    }
  }

  private void beforeEnd(PlannedTemplate template, IntConsumer to) {
    if (!template.listed()) {
      for (int step = template.first(); step < template.first() + template.size(); step++) {
        to.accept(step);
      }
      return;
    }
    int number = template.number();
    for (int i = firstMember[number]; i < firstMember[number + 1]; i++) {
      to.accept(plan.fixedSteps() + members[i]);
    }
  }

  private void beforeCombination(int node, IntConsumer to) {
    int number = relationOf(node);
    Relation relation = plan.relations().get(number);
    MatchingSteps sharing = plan.sharers(relation, node - firstCombination[number]);
    for (int i = 0; i < sharing.count(); i++) {
      to.accept(sharing.step(i));
    }
  }

  // The last relation that begins at the node or before it; those without combinations take no
  // nodes, so that this is the one that the node belongs to.
  private int relationOf(int node) {
    int low = 0;
    int high = firstCombination.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (firstCombination[middle] <= node) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
