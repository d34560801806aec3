package io.millrace.manager.graph;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.Pure;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.OutputReference;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the steps that lists make are numbered, and which templates wait for which. Immutable; made
 * from a definition, always in the same way.
 */
@Pure
public final class WorkflowPlan {
  private static final int LONGEST_VALUE_NAME = 60;
  private static final int SHOWN = 100;

  private final List<PlannedTemplate> templates;
  private final List<Relation> relations;
  private final int fixedSteps;

  /**
   * A template.
   *
   * @param number its position in the definition
   * @param first the number of its first step, unless its steps are listed
   * @param size steps that its lists make
   * @param listed whether its steps are listed one by one
   * @param arguments names of its lists
   * @param sizes of its lists
   * @param needsAll templates all of whose steps must succeed before any step of it starts
   * @param neededAll templates that wait for all its steps
   * @param before relations to templates whose steps wait for some of its steps
   * @param after number of relations by which each step of it waits
   * @param given where its first list comes from; null if all its lists are known. Its steps then
   *     have numbers for as many values as there may be, and those of the values that there are
   *     come first
   * @param takers templates that take a list from its only step
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  public record PlannedTemplate(
      int number,
      String name,
      int first,
      int size,
      boolean listed,
      List<String> arguments,
      int[] sizes,
      List<Integer> needsAll,
      List<Integer> neededAll,
      List<Relation> before,
      List<Relation> after,
      GivenList given,
      List<Integer> takers) {
    /** One whose lists, which {@link TemplateNeeds} has filled, do not change any more. */
    private PlannedTemplate finished() {
      return new PlannedTemplate(
          number,
          name,
          first,
          size,
          listed,
          arguments,
          sizes,
          List.copyOf(needsAll),
          List.copyOf(neededAll),
          List.copyOf(before),
          List.copyOf(after),
          given,
          List.copyOf(takers));
    }

    /** How many steps it has with that many values in its first list. */
    public int sizeWith(int values) {
      return size / sizes[0] * values;
    }

    /** The positions of a step in its lists. */
    public int[] positions(int step) {
      int[] positions = new int[sizes.length];
      int rest = step - first;
      for (int i = sizes.length - 1; i >= 0; i--) {
        positions[i] = rest % sizes[i];
        rest /= sizes[i];
      }
      return positions;
    }
  }

  /**
   * Steps of one template that wait for some steps of another.
   *
   * @param number its position among all of the workflow
   * @param from the template that must succeed
   * @param to the template that waits
   * @param match ELEMENT or ARGUMENT
   * @param fromLists positions of the compared arguments in the lists of {@code from}
   * @param toLists their positions in the lists of {@code to}
   * @param values for each compared argument, where the values of {@code to} are in {@code from}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  public record Relation(
      int number,
      int from,
      int to,
      NeedMatch match,
      int[] fromLists,
      int[] toLists,
      List<SameValues> values) {}

  /**
   * Where the values of one list are in another one. Lists that are alike, and ranges, are compared
   * by arithmetic: the places are {@code first + position * stride}.
   *
   * @param size of the list of {@code to}
   * @param places in the list of {@code from}, by position; null if arithmetic says them
   * @param reverse positions, by place, -1 where there is none; null if arithmetic says them
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  public record SameValues(int size, long first, long stride, int[] places, int[] reverse) {
    static SameValues alike(int size) {
      return new SameValues(size, 0, 1, null, null);
    }

    /** The place in {@code from} of the value at that position in {@code to}. */
    public int place(int position) {
      return places == null ? (int) (first + position * stride) : places[position];
    }

    /** The position in {@code to} of the value at that place in {@code from}; -1 for none. */
    int position(int place) {
      if (reverse != null) {
        return reverse[place];
      }
      long distance = place - first;
      long position = distance / stride;
      return distance >= 0 && distance % stride == 0 && position < size ? (int) position : -1;
    }
  }

  /**
   * A list that a step gives.
   *
   * @param from the template whose only step gives it
   * @param value its name
   * @param max the most values
   */
  public record GivenList(int from, String value, int max) {}

  private WorkflowPlan(List<PlannedTemplate> templates, List<Relation> relations, int fixedSteps) {
    this.templates = templates.stream().map(PlannedTemplate::finished).toList();
    this.relations = List.copyOf(relations);
    this.fixedSteps = fixedSteps;
  }

  /**
   * The plan of a definition.
   *
   * @throws MillraceException INVALID_DEFINITION that names the template and what is wrong
   */
  public static WorkflowPlan of(WorkflowSpec workflow) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    workflow.templates().keySet().forEach(name -> numbers.put(name, numbers.size()));
    List<PlannedTemplate> templates = new ArrayList<>();
    List<Relation> relations = new ArrayList<>();
    long first = 0;
    for (Map.Entry<String, StepTemplate> entry : workflow.templates().entrySet()) {
      StepTemplate template = entry.getValue();
      requireNames(entry.getKey(), template);
      int size = template.size();
      templates.add(
          new PlannedTemplate(
              templates.size(),
              entry.getKey(),
              (int) first,
              size,
              template.listed(),
              List.copyOf(template.each().keySet()),
              template.each().values().stream().mapToInt(ValueList::size).toArray(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              given(entry.getKey(), template, numbers, workflow),
              new ArrayList<>()));
      first += size;
      if (first > WorkflowSpec.MAX_STEPS) {
        throw refuse(
            "templates: their lists make more than " + WorkflowSpec.MAX_STEPS + " steps together");
      }
    }
    TemplateNeeds needs = new TemplateNeeds(workflow, numbers, templates, relations);
    for (PlannedTemplate template : templates) {
      if (template.given() != null) {
        templates.get(template.given().from()).takers().add(template.number());
      }
      needs.connect(template);
    }
    WorkflowPlan plan = new WorkflowPlan(templates, relations, (int) first);
    plan.templateCycle().ifPresent(WorkflowPlan::refuseCycle);
    return plan;
  }

  // As the Java client requires them; they stand in messages and labels.
  private static void requireNames(String name, StepTemplate template) {
    for (String argument : template.each().keySet()) {
      Names.require(
          "templates." + name + ".each: an argument's name",
          argument,
          ErrorCode.INVALID_DEFINITION);
    }
  }

  private static GivenList given(
      String name, StepTemplate template, Map<String, Integer> numbers, WorkflowSpec workflow) {
    ListSource source = template.source();
    if (source == null) {
      return null;
    }
    OutputReference from = source.reference(numbers.keySet());
    StepTemplate giver = workflow.templates().get(from.template());
    String place = "templates." + name + ".each: from: " + ShownText.of(source.from()) + ": ";
    if (giver.source() != null || (!giver.listed() && giver.size() != 1)) {
      throw refuse(
          place
              + "a list is given by the only step of a template, but '"
              + from.template()
              + "' has or may have several");
    }
    if (!template.needs().contains(StepNeed.all(from.template()))) {
      throw refuse(place + "add '" + from.template() + "' to needs");
    }
    if (from.name().length() > LONGEST_VALUE_NAME) {
      throw refuse(place + "names of values have at most " + LONGEST_VALUE_NAME + " characters");
    }
    return new GivenList(numbers.get(from.template()), from.name(), source.max());
  }

  /** Names of templates that wait for one another, each for the next one; empty if none do. */
  private Optional<List<String>> templateCycle() {
    int[] open = new int[templates.size()];
    List<Integer> done = new ArrayList<>();
    for (PlannedTemplate template : templates) {
      open[template.number()] = template.needsAll().size() + template.after().size();
      if (open[template.number()] == 0) {
        done.add(template.number());
      }
    }
    for (int i = 0; i < done.size(); i++) {
      for (int next : followers(templates.get(done.get(i)))) {
        if (--open[next] == 0) {
          done.add(next);
        }
      }
    }
    if (done.size() == templates.size()) {
      return Optional.empty();
    }
    return Optional.of(walkBack(open));
  }

  private List<String> walkBack(int[] open) {
    int at = 0;
    while (open[at] == 0) {
      at++;
    }
    Map<Integer, Integer> seen = new LinkedHashMap<>();
    List<String> path = new ArrayList<>();
    while (!seen.containsKey(at)) {
      seen.put(at, path.size());
      path.add(templates.get(at).name());
      int here = at;
      at =
          needed(templates.get(here)).stream()
              .filter(one -> open[one] > 0)
              .findFirst()
              .orElseThrow();
    }
    List<String> cycle = new ArrayList<>(path.subList(seen.get(at), path.size()));
    cycle.add(templates.get(at).name());
    return cycle;
  }

  private static List<Integer> followers(PlannedTemplate template) {
    List<Integer> all = new ArrayList<>(template.neededAll());
    template.before().forEach(relation -> all.add(relation.to()));
    return all;
  }

  private static List<Integer> needed(PlannedTemplate template) {
    List<Integer> all = new ArrayList<>(template.needsAll());
    template.after().forEach(relation -> all.add(relation.from()));
    return all;
  }

  private static void refuseCycle(List<String> cycle) {
    int shown = Math.min(SHOWN, cycle.size());
    throw refuse(
        "templates need one another in a cycle: "
            + String.join(" needs ", cycle.subList(0, shown))
            + (shown < cycle.size() ? " needs … (%d templates)".formatted(cycle.size() - 1) : ""));
  }

  public List<PlannedTemplate> templates() {
    return templates;
  }

  public List<Relation> relations() {
    return relations;
  }

  /** Whether steps give lists to templates. */
  public boolean hasGivenLists() {
    return templates.stream().anyMatch(template -> template.given() != null);
  }

  /**
   * How many steps the lists make, or may make, together; listed steps have the numbers from there
   * on.
   */
  public int fixedSteps() {
    return fixedSteps;
  }

  /** The template of a step that a list makes. */
  public PlannedTemplate ofFixed(int step) {
    int low = 0;
    int high = templates.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (templates.get(middle).first() <= step) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return templates.get(low);
  }

  /** A block as the lists make it; listed steps in it are empty. */
  public StepBlock initial(int block) {
    StepBlock made = new StepBlock();
    int end = Math.min(fixedSteps, (block + 1) * StepBlock.SIZE);
    int step = block * StepBlock.SIZE;
    while (step < end) {
      PlannedTemplate template = ofFixed(step);
      int last = Math.min(end, template.first() + template.size());
      for (; step < last; step++) {
        made.template(step, template.number());
        made.unmet(step, template.after().size());
      }
    }
    return made;
  }

  /** The combination of the compared arguments that a step of the template {@code from} has. */
  public int combination(Relation relation, int step) {
    PlannedTemplate from = templates.get(relation.from());
    int[] positions = from.positions(step);
    int combination = 0;
    for (int list : relation.fromLists()) {
      combination = combination * from.sizes()[list] + positions[list];
    }
    return combination;
  }

  /** How many steps of {@code from} have, or may have, the same combination. */
  public int sharing(Relation relation) {
    return sharing(relation, templates.get(relation.from()).size());
  }

  /**
   * How many steps of {@code from} have the same combination.
   *
   * @param steps how many it has
   */
  public int sharing(Relation relation, int steps) {
    PlannedTemplate from = templates.get(relation.from());
    int combinations = 1;
    boolean given = false;
    for (int list : relation.fromLists()) {
      combinations *= from.sizes()[list];
      given |= list == 0 && from.given() != null;
    }
    // Of a given list that is compared, each value has the same number of steps.
    return (given ? from.size() : steps) / combinations;
  }

  /** The combination of the compared arguments that a step of the template {@code to} needs. */
  public int wanted(Relation relation, int step) {
    PlannedTemplate from = templates.get(relation.from());
    int[] positions = templates.get(relation.to()).positions(step);
    int combination = 0;
    for (int i = 0; i < relation.fromLists().length; i++) {
      int size = from.sizes()[relation.fromLists()[i]];
      combination =
          combination * size + relation.values().get(i).place(positions[relation.toLists()[i]]);
    }
    return combination;
  }

  /** The steps of the template {@code from} that have, or may have, that combination, rising. */
  public MatchingSteps sharers(Relation relation, int combination) {
    PlannedTemplate from = templates.get(relation.from());
    int[] fixed = new int[from.sizes().length];
    Arrays.fill(fixed, -1);
    int rest = combination;
    for (int i = relation.fromLists().length - 1; i >= 0; i--) {
      int size = from.sizes()[relation.fromLists()[i]];
      fixed[relation.fromLists()[i]] = rest % size;
      rest /= size;
    }
    return new MatchingSteps(from, fixed, sharing(relation));
  }

  /** The steps of the template {@code to} that wait for that combination, rising. */
  public MatchingSteps waiters(Relation relation, int combination) {
    PlannedTemplate from = templates.get(relation.from());
    PlannedTemplate to = templates.get(relation.to());
    int[] fixed = new int[to.sizes().length];
    Arrays.fill(fixed, -1);
    int rest = combination;
    for (int i = relation.fromLists().length - 1; i >= 0; i--) {
      int size = from.sizes()[relation.fromLists()[i]];
      int position = relation.values().get(i).position(rest % size);
      if (position < 0) {
        return new MatchingSteps(to, fixed, 0);
      }
      fixed[relation.toLists()[i]] = position;
      rest /= size;
    }
    int count = 1;
    for (int i = 0; i < fixed.length; i++) {
      count *= fixed[i] < 0 ? to.sizes()[i] : 1;
    }
    return new MatchingSteps(to, fixed, count);
  }

  /**
   * Steps of a template that have some positions in its lists in common.
   *
   * @param fixed the position in each list; negative for any
   * @param count how many steps
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  public record MatchingSteps(PlannedTemplate template, int[] fixed, int count) {
    /** The step at that place, from 0. */
    public int step(int place) {
      int step = 0;
      int stride = 1;
      int rest = place;
      for (int i = fixed.length - 1; i >= 0; i--) {
        int size = template.sizes()[i];
        int position = fixed[i];
        if (position < 0) {
          position = rest % size;
          rest /= size;
        }
        step += position * stride;
        stride *= size;
      }
      return template.first() + step;
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
  }
}
