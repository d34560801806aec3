package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.OutputReference;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.platform.document.NearestName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How the steps that lists make are numbered, and which templates wait for which. Immutable; made
 * from a definition, always in the same way.
 */
@Pure
final class WorkflowPlan {
  private static final int LONGEST_VALUE_NAME = 60;

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
  record PlannedTemplate(
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
    /** How many steps it has with that many values in its first list. */
    int sizeWith(int values) {
      return size / sizes[0] * values;
    }

    /** The positions of a step in its lists. */
    int[] positions(int step) {
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
   * @param values for each compared argument and position in the list of {@code to}, the position
   *     of the same value in the list of {@code from}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record Relation(
      int number,
      int from,
      int to,
      NeedMatch match,
      int[] fromLists,
      int[] toLists,
      int[][] values) {}

  /**
   * A list that a step gives.
   *
   * @param from the template whose only step gives it
   * @param value its name
   * @param max the most values
   */
  record GivenList(int from, String value, int max) {}

  private WorkflowPlan(List<PlannedTemplate> templates, List<Relation> relations, int fixedSteps) {
    this.templates = List.copyOf(templates);
    this.relations = List.copyOf(relations);
    this.fixedSteps = fixedSteps;
  }

  /**
   * The plan of a definition.
   *
   * @throws MillraceException INVALID_DEFINITION that names the template and what is wrong
   */
  static WorkflowPlan of(WorkflowSpec workflow) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    workflow.templates().keySet().forEach(name -> numbers.put(name, numbers.size()));
    List<PlannedTemplate> templates = new ArrayList<>();
    List<Relation> relations = new ArrayList<>();
    long first = 0;
    for (Map.Entry<String, StepTemplate> entry : workflow.templates().entrySet()) {
      StepTemplate template = entry.getValue();
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
    for (PlannedTemplate template : templates) {
      if (template.given() != null) {
        templates.get(template.given().from()).takers().add(template.number());
      }
      for (StepNeed need : workflow.templates().get(template.name()).needs()) {
        connect(workflow, templates, relations, template, need, numbers);
      }
    }
    WorkflowPlan plan = new WorkflowPlan(templates, relations, (int) first);
    plan.templateCycle().ifPresent(WorkflowPlan::refuseCycle);
    return plan;
  }

  private static GivenList given(
      String name, StepTemplate template, Map<String, Integer> numbers, WorkflowSpec workflow) {
    ListSource source = template.source();
    if (source == null) {
      return null;
    }
    OutputReference from = source.reference(numbers.keySet());
    StepTemplate giver = workflow.templates().get(from.template());
    String place = "templates." + name + ".each: from: " + source.from() + ": ";
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

  private static void connect(
      WorkflowSpec workflow,
      List<PlannedTemplate> templates,
      List<Relation> relations,
      PlannedTemplate to,
      StepNeed need,
      Map<String, Integer> numbers) {
    Integer number = numbers.get(need.of());
    String place = "templates." + to.name() + ".needs: ";
    if (number == null) {
      throw refuse(
          place + "there is no template '" + need.of() + "'" + hint(need.of(), numbers.keySet()));
    }
    if (number == to.number()) {
      throw refuse(place + "a template cannot need itself");
    }
    PlannedTemplate from = templates.get(number);
    if (need.match() == NeedMatch.ALL) {
      if (!to.needsAll().contains(number)) {
        to.needsAll().add(number);
        from.neededAll().add(to.number());
      }
      return;
    }
    if (from.listed() || to.listed()) {
      throw refuse(
          place
              + "steps that are listed one by one name what they need themselves; "
              + need.of()
              + " can only be needed as a whole here");
    }
    Relation relation =
        need.match() == NeedMatch.ELEMENT
            ? element(place, relations.size(), from, to)
            : argument(place, workflow, relations.size(), from, to, need.by());
    relations.add(relation);
    from.before().add(relation);
    to.after().add(relation);
  }

  private static Relation element(
      String place, int number, PlannedTemplate from, PlannedTemplate to) {
    if (!Objects.equals(from.given(), to.given())) {
      throw refuse(
          place
              + "element to element requires the same list, with the same max, if a step gives the one of '%s' or '%s'"
                  .formatted(from.name(), to.name()));
    }
    if (from.size() != to.size()) {
      throw refuse(
          place
              + "element to element requires equally many steps, but %s has %d and %s has %d"
                  .formatted(from.name(), from.size(), to.name(), to.size()));
    }
    return new Relation(
        number,
        from.number(),
        to.number(),
        NeedMatch.ELEMENT,
        new int[0],
        new int[0],
        new int[0][]);
  }

  private static Relation argument(
      String place,
      WorkflowSpec workflow,
      int number,
      PlannedTemplate from,
      PlannedTemplate to,
      List<String> by) {
    int[] fromLists = new int[by.size()];
    int[] toLists = new int[by.size()];
    int[][] values = new int[by.size()][];
    for (int i = 0; i < by.size(); i++) {
      String argument = by.get(i);
      fromLists[i] = list(place, from, argument);
      toLists[i] = list(place, to, argument);
      values[i] =
          positions(
              place + argument + ": ",
              workflow.templates().get(from.name()).each().get(argument),
              workflow.templates().get(to.name()).each().get(argument),
              from.name());
    }
    return new Relation(
        number, from.number(), to.number(), NeedMatch.ARGUMENT, fromLists, toLists, values);
  }

  private static int list(String place, PlannedTemplate template, String argument) {
    int at = template.arguments().indexOf(argument);
    if (at < 0) {
      throw refuse(
          place
              + "'"
              + template.name()
              + "' has no list of '"
              + argument
              + "' under each"
              + hint(argument, template.arguments()));
    }
    return at;
  }

  private static int[] positions(String place, ValueList from, ValueList to, String template) {
    if (!Objects.equals(from.source(), to.source())) {
      throw refuse(
          place
              + "a list that a step gives is only compared with the same list, with the same max");
    }
    if (from.source() != null) {
      return IntStream.range(0, from.size()).toArray();
    }
    Map<String, Integer> known = new HashMap<>();
    for (int i = 0; i < from.size(); i++) {
      known.put(from.get(i), i);
    }
    int[] positions = new int[to.size()];
    for (int i = 0; i < positions.length; i++) {
      Integer position = known.get(to.get(i));
      if (position == null) {
        throw refuse(
            place + "the value '" + to.get(i) + "' does not occur in template '" + template + "'");
      }
      positions[i] = position;
    }
    return positions;
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
    throw refuse("templates need one another in a circle: " + String.join(" needs ", cycle));
  }

  List<PlannedTemplate> templates() {
    return templates;
  }

  List<Relation> relations() {
    return relations;
  }

  /** Whether steps give lists to templates. */
  boolean hasGivenLists() {
    return templates.stream().anyMatch(template -> template.given() != null);
  }

  /**
   * How many steps the lists make, or may make, together; listed steps have the numbers from there
   * on.
   */
  int fixedSteps() {
    return fixedSteps;
  }

  /** The template of a step that a list makes. */
  PlannedTemplate ofFixed(int step) {
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
  StepBlock initial(int block) {
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
  int combination(Relation relation, int step) {
    PlannedTemplate from = templates.get(relation.from());
    int[] positions = from.positions(step);
    int combination = 0;
    for (int list : relation.fromLists()) {
      combination = combination * from.sizes()[list] + positions[list];
    }
    return combination;
  }

  /** How many steps of {@code from} have, or may have, the same combination. */
  int sharing(Relation relation) {
    return sharing(relation, templates.get(relation.from()).size());
  }

  /**
   * How many steps of {@code from} have the same combination.
   *
   * @param steps how many it has
   */
  int sharing(Relation relation, int steps) {
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

  /** The steps of the template {@code to} that wait for that combination, rising. */
  Waiters waiters(Relation relation, int combination) {
    PlannedTemplate from = templates.get(relation.from());
    PlannedTemplate to = templates.get(relation.to());
    int[] fixed = new int[to.sizes().length];
    Arrays.fill(fixed, -1);
    int rest = combination;
    for (int i = relation.fromLists().length - 1; i >= 0; i--) {
      int size = from.sizes()[relation.fromLists()[i]];
      int position = position(relation.values()[i], rest % size);
      if (position < 0) {
        return new Waiters(to, fixed, 0);
      }
      fixed[relation.toLists()[i]] = position;
      rest /= size;
    }
    int count = 1;
    for (int i = 0; i < fixed.length; i++) {
      count *= fixed[i] < 0 ? to.sizes()[i] : 1;
    }
    return new Waiters(to, fixed, count);
  }

  private static int position(int[] values, int wanted) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Steps of a template that have some positions in its lists in common.
   *
   * @param fixed the position in each list; negative for any
   * @param count how many steps
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record Waiters(PlannedTemplate template, int[] fixed, int count) {
    /** The step at that place, from 0. */
    int step(int place) {
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

  private static String hint(String wrong, Collection<String> known) {
    return NearestName.of(wrong, known).map(name -> "; did you mean '" + name + "'?").orElse("");
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
  }
}
