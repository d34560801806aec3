package io.millrace.manager.graph;

import static java.util.stream.Collectors.toCollection;

import io.millrace.api.Pure;
import io.millrace.api.ShownText;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The graph of the listed steps of a workflow: what each needs, what needs it, and whether some
 * need one another in a cycle. Pure; four bytes for each step and need, and as much again for the
 * other direction; needs beyond a limit are not kept, and the graph is refused. Not thread-safe.
 */
@Pure
public final class StepGraph {
  /** The most needs of all listed steps. */
  static final int MAX_NEEDS = 50_000_000;

  private static final int SHOWN = 12;
  // The stored reason of a refusal has room for that many of them.
  private static final int LONGEST_NAME = 40;

  private final WorkflowPlan plan;
  private final int fixed;
  private final int listed;
  private final char[] templates;
  private final int[] firstNeed;
  private final Map<Integer, int[]> templateNeeds = new HashMap<>();
  private final int[] firstStep;
  private final int[] lastStep;
  private final int[] sizes;
  private int[] needs = new int[1024];
  private final int maxNeeds;
  private int added;
  private long named;
  // Made when all steps are there: the steps that need a step.
  private int[] firstSuccessor;
  private int[] successors;
  private Map<Integer, int[]> templateSuccessors;

  public StepGraph(WorkflowPlan plan, int listed) {
    this(plan, listed, MAX_NEEDS);
  }

  public StepGraph(WorkflowPlan plan, int listed, int maxNeeds) {
    this.maxNeeds = maxNeeds;
    this.plan = plan;
    this.fixed = plan.fixedSteps();
    this.listed = listed;
    this.templates = new char[listed];
    this.firstNeed = new int[listed + 1];
    this.firstStep = new int[plan.templates().size()];
    this.lastStep = new int[plan.templates().size()];
    this.sizes = new int[plan.templates().size()];
  }

  /** Adds the next step. */
  public void add(StoredStep step) {
    int number = fixed + added;
    templates[added] = (char) step.template();
    if (sizes[step.template()]++ == 0) {
      firstStep[step.template()] = number;
    }
    lastStep[step.template()] = number;
    named += step.needs().length + step.all().length;
    if (named > maxNeeds) {
      firstNeed[added + 1] = firstNeed[added];
      added++;
      return;
    }
    int count = firstNeed[added] + step.needs().length;
    if (count > needs.length) {
      needs = Arrays.copyOf(needs, Math.max(count, needs.length + needs.length / 2));
    }
    System.arraycopy(step.needs(), 0, needs, firstNeed[added], step.needs().length);
    if (step.all().length > 0) {
      templateNeeds.put(added, step.all());
    }
    firstNeed[++added] = count;
  }

  /**
   * Finishes the graph when all steps were added; returns what is wrong with it, if anything.
   *
   * @param names the name of the listed step with that number in the workflow, empty for none;
   *     asked for a few of those in a cycle
   */
  public Optional<String> finish(IntFunction<String> names) {
    if (named > maxNeeds) {
      return Optional.of(
          "its listed steps name %d needs, and at most %d are allowed; put steps that many need under a separate template and need that as a whole"
              .formatted(named, maxNeeds));
    }
    int steps = fixed + listed;
    firstSuccessor = new int[steps + 1];
    for (int i = 0; i < firstNeed[listed]; i++) {
      if (needs[i] < 0 || needs[i] >= steps) {
        return Optional.of(
            "a step needs step %d, but the steps have the numbers 0 to %d"
                .formatted(needs[i], steps - 1));
      }
      firstSuccessor[needs[i] + 1]++;
    }
    for (int i = 0; i < steps; i++) {
      firstSuccessor[i + 1] += firstSuccessor[i];
    }
    successors = new int[firstNeed[listed]];
    int[] next = Arrays.copyOf(firstSuccessor, steps);
    for (int step = 0; step < listed; step++) {
      for (int i = firstNeed[step]; i < firstNeed[step + 1]; i++) {
        successors[next[needs[i]]++] = fixed + step;
      }
    }
    templateSuccessors = waitingForTemplates();
    return severalGivers().or(() -> cycle(names));
  }

  private Optional<String> severalGivers() {
    return plan.templates().stream()
        .filter(taker -> taker.given() != null && steps(taker.given().from()) != 1)
        .findFirst()
        .map(
            taker ->
                "template '%s' takes its list from the only step of template '%s', which has %d"
                    .formatted(
                        taker.name(),
                        plan.templates().get(taker.given().from()).name(),
                        steps(taker.given().from())));
  }

  private Map<Integer, int[]> waitingForTemplates() {
    Map<Integer, List<Integer>> found = new HashMap<>();
    templateNeeds.forEach(
        (step, all) -> {
          for (int template : all) {
            found.computeIfAbsent(template, one -> new ArrayList<>()).add(fixed + step);
          }
        });
    Map<Integer, int[]> rising = new HashMap<>();
    found.forEach(
        (template, waiting) ->
            rising.put(template, waiting.stream().mapToInt(Integer::intValue).sorted().toArray()));
    return rising;
  }

  /** How many steps a template has; 0 if that is known only when its list is given. */
  public int steps(int template) {
    PlannedTemplate planned = plan.templates().get(template);
    if (planned.given() != null) {
      return 0;
    }
    return planned.listed() ? sizes[template] : planned.size();
  }

  public int firstStep(int template) {
    return firstStep[template];
  }

  public int lastStep(int template) {
    return lastStep[template];
  }

  /** The listed steps that need all steps of a template, rising, by template. */
  public Map<Integer, int[]> templateSuccessors() {
    return templateSuccessors;
  }

  /**
   * How many needs listed steps name of steps of other templates, or of their own.
   *
   * @param max most pairs of templates; needs between further ones are not counted
   */
  Map<TemplatePair, Integer> needsBetween(int max) {
    Map<TemplatePair, Integer> counts = new HashMap<>();
    for (int step = 0; step < listed; step++) {
      for (int i = firstNeed[step]; i < firstNeed[step + 1]; i++) {
        TemplatePair pair = new TemplatePair(templateOf(needs[i]), templates[step]);
        if (counts.size() < max || counts.containsKey(pair)) {
          counts.merge(pair, 1, Integer::sum);
        }
      }
    }
    return counts;
  }

  /** Two templates, of which the second one waits for the first one. */
  record TemplatePair(int from, int to) {}

  private int templateOf(int step) {
    return step < fixed ? plan.ofFixed(step).number() : templates[step - fixed];
  }

  /** How many listed steps of each template need all steps of another one. */
  Map<TemplatePair, Integer> wholeNeeds() {
    Map<TemplatePair, Integer> counts = new HashMap<>();
    templateNeeds.forEach(
        (step, all) -> {
          for (int template : all) {
            counts.merge(new TemplatePair(template, templates[step]), 1, Integer::sum);
          }
        });
    return counts;
  }

  /** Whether any step of the block is listed. */
  public boolean hasListed(int block) {
    return (block + 1) * StepBlock.SIZE > fixed;
  }

  /** The block as it is before the run. */
  public StepBlock block(int number) {
    StepBlock block = plan.initial(number);
    int end = Math.min(fixed + listed, (number + 1) * StepBlock.SIZE);
    for (int step = Math.max(fixed, number * StepBlock.SIZE); step < end; step++) {
      block.template(step, templates[step - fixed]);
      block.unmet(step, needsOf(step - fixed));
    }
    return block;
  }

  private int needsOf(int step) {
    int[] all = templateNeeds.get(step);
    return firstNeed[step + 1] - firstNeed[step] + (all == null ? 0 : all.length);
  }

  /** The successors of the steps of a block; null if there are none. */
  public int[][] successors(int block) {
    int from = block * StepBlock.SIZE;
    int to = Math.min(fixed + listed, from + StepBlock.SIZE);
    if (firstSuccessor[to] == firstSuccessor[from]) {
      return null;
    }
    int[][] lists = new int[StepBlock.SIZE][];
    for (int i = 0; i < lists.length; i++) {
      int step = from + i;
      lists[i] =
          step < to
              ? Arrays.copyOfRange(successors, firstSuccessor[step], firstSuccessor[step + 1])
              : new int[0];
    }
    return lists;
  }

  // Nodes: listed steps; the end of each template; the beginning of each template that waits for
  // others as a whole. Steps that lists make stand and fall with their template.
  private Optional<String> cycle(IntFunction<String> names) {
    int count = plan.templates().size();
    int[] open = new int[listed + 2 * count];
    for (int step = 0; step < listed; step++) {
      open[step] = needsOf(step) + (waits(templates[step]) ? 1 : 0);
    }
    for (PlannedTemplate template : plan.templates()) {
      open[end(template.number())] = template.listed() ? sizes[template.number()] : 1;
      open[begin(template.number())] = template.needsAll().size() + template.after().size();
    }
    int[] done = new int[open.length];
    int size = 0;
    for (int node = 0; node < open.length; node++) {
      if (open[node] == 0) {
        done[size++] = node;
      }
    }
    Map<Integer, List<Integer>> members = members();
    for (int i = 0; i < size; i++) {
      for (int next : followers(done[i], members)) {
        if (--open[next] == 0) {
          done[size++] = next;
        }
      }
    }
    return size == open.length ? Optional.empty() : Optional.of(describe(open, names));
  }

  private boolean waits(int template) {
    return !plan.templates().get(template).needsAll().isEmpty();
  }

  private int end(int template) {
    return listed + template;
  }

  private int begin(int template) {
    return listed + plan.templates().size() + template;
  }

  // Only of listed templates that wait as a whole.
  private Map<Integer, List<Integer>> members() {
    Map<Integer, List<Integer>> members = new HashMap<>();
    for (int step = 0; step < listed; step++) {
      if (waits(templates[step])) {
        members.computeIfAbsent((int) templates[step], one -> new ArrayList<>()).add(step);
      }
    }
    return members;
  }

  private int[] followers(int node, Map<Integer, List<Integer>> members) {
    int count = plan.templates().size();
    if (node < listed) {
      int from = firstSuccessor[fixed + node];
      int to = firstSuccessor[fixed + node + 1];
      int[] all = new int[to - from + 1];
      for (int i = from; i < to; i++) {
        all[i - from] = successors[i] - fixed;
      }
      all[to - from] = end(templates[node]);
      return all;
    }
    if (node < listed + count) {
      PlannedTemplate template = plan.templates().get(node - listed);
      List<Integer> all = new ArrayList<>();
      template.neededAll().forEach(next -> all.add(begin(next)));
      template.before().forEach(relation -> all.add(begin(relation.to())));
      for (int step : templateSuccessors.getOrDefault(template.number(), new int[0])) {
        all.add(step - fixed);
      }
      // Needs of single steps that lists make count as needs of their template's end.
      for (int step = template.first(); step < template.first() + template.size(); step++) {
        for (int i = firstSuccessor[step]; i < firstSuccessor[step + 1]; i++) {
          all.add(successors[i] - fixed);
        }
      }
      return all.stream().mapToInt(Integer::intValue).toArray();
    }
    PlannedTemplate template = plan.templates().get(node - listed - count);
    return template.listed()
        ? members.getOrDefault(template.number(), List.of()).stream()
            .mapToInt(Integer::intValue)
            .toArray()
        : new int[] {end(template.number())};
  }

  private String describe(int[] open, IntFunction<String> names) {
    int at = 0;
    while (open[at] == 0) {
      at++;
    }
    Map<Integer, Integer> places = new HashMap<>();
    List<Integer> path = new ArrayList<>();
    while (!places.containsKey(at)) {
      places.put(at, path.size());
      path.add(at);
      at = openNeed(at, open);
    }
    // What waits at the beginning of a template is named before it: a step, or the template.
    List<Integer> cycle =
        path.subList(places.get(at), path.size()).stream().filter(one -> !isBegin(one)).toList();
    List<String> shown =
        cycle.stream()
            .limit(SHOWN)
            .map(one -> name(one, names))
            .collect(toCollection(ArrayList::new));
    if (cycle.size() > SHOWN) {
      shown.add("…");
    }
    shown.add(shown.get(0));
    String text = "steps need one another in a cycle: " + String.join(" needs ", shown);
    return cycle.size() > SHOWN ? text + " (" + cycle.size() + " steps)" : text;
  }

  private boolean isBegin(int node) {
    return node >= begin(0);
  }

  private int openNeed(int node, int[] open) {
    int count = plan.templates().size();
    if (node < listed) {
      for (int i = firstNeed[node]; i < firstNeed[node + 1]; i++) {
        int need = needs[i] < fixed ? end(plan.ofFixed(needs[i]).number()) : needs[i] - fixed;
        if (open[need] > 0) {
          return need;
        }
      }
      for (int template : templateNeeds.getOrDefault(node, new int[0])) {
        if (open[end(template)] > 0) {
          return end(template);
        }
      }
      return begin(templates[node]);
    }
    if (node < listed + count) {
      PlannedTemplate template = plan.templates().get(node - listed);
      if (!template.listed()) {
        return begin(template.number());
      }
      for (int step = 0; step < listed; step++) {
        if (templates[step] == template.number() && open[step] > 0) {
          return step;
        }
      }
    }
    PlannedTemplate template = plan.templates().get((node - listed) % count);
    List<Integer> needed = new ArrayList<>(template.needsAll());
    template.after().forEach(relation -> needed.add(relation.from()));
    return needed.stream()
        .map(this::end)
        .filter(one -> open[one] > 0)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no open need of " + template.name()));
  }

  private String name(int node, IntFunction<String> names) {
    if (node < listed) {
      String name = names.apply(fixed + node);
      return "step "
          + (fixed + node)
          + (name.isEmpty() ? "" : " (" + ShownText.of(name, LONGEST_NAME) + ")");
    }
    return "template '"
        + ShownText.of(plan.templates().get(node - listed).name(), LONGEST_NAME)
        + "'";
  }
}
