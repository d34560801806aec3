package io.millrace.manager.graph;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.ShownText;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.graph.WorkflowPlan.SameValues;
import io.millrace.platform.document.NearestName;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Connects the templates of a plan by what they need. What it takes is bounded, however short the
 * text of the needs is. Used once, by one thread.
 */
@Pure
public final class TemplateNeeds {
  /** The most needs of a template by element or argument; steps count each of them. */
  public static final int MAX_RELATIONS = 1_000;

  /** The most values of a workflow's lists that are looked up one by one. */
  static final int MAX_COMPARED = 5_000_000;

  private final WorkflowSpec workflow;
  private final Map<String, Integer> numbers;
  private final List<PlannedTemplate> templates;
  private final List<Relation> relations;
  private long compared;

  /**
   * Needs that are added to these lists, and to those of the templates.
   *
   * @param numbers of the templates, by name
   */
  public TemplateNeeds(
      WorkflowSpec workflow,
      Map<String, Integer> numbers,
      List<PlannedTemplate> templates,
      List<Relation> relations) {
    this.workflow = workflow;
    this.numbers = numbers;
    this.templates = templates;
    this.relations = relations;
  }

  /**
   * Adds what a template needs.
   *
   * @throws MillraceException INVALID_DEFINITION that names the need and what is wrong
   */
  void connect(PlannedTemplate to) {
    Set<StepNeed> seen = new HashSet<>();
    for (StepNeed need : workflow.templates().get(to.name()).needs()) {
      int number = seen.size();
      List<String> sorted = need.by().stream().sorted().toList();
      if (!seen.add(new StepNeed(need.of(), need.match(), sorted))) {
        throw refuse(
            "templates.%s.needs[%d]: the same need is given twice".formatted(to.name(), number));
      }
      connect(to, need);
    }
  }

  private void connect(PlannedTemplate to, StepNeed need) {
    Integer number = numbers.get(need.of());
    String place = "templates." + to.name() + ".needs: ";
    if (number == null) {
      throw refuse(
          place
              + "there is no template '"
              + ShownText.of(need.of())
              + "'"
              + hint(need.of(), numbers.keySet()));
    }
    if (number == to.number()) {
      throw refuse(place + "a template cannot need itself");
    }
    PlannedTemplate from = templates.get(number);
    if (need.match() == NeedMatch.ALL) {
      to.needsAll().add(number);
      from.neededAll().add(to.number());
      return;
    }
    if (from.listed() || to.listed()) {
      throw refuse(
          place
              + "steps that are listed one by one name what they need themselves; "
              + need.of()
              + " can only be needed as a whole here");
    }
    if (to.after().size() >= MAX_RELATIONS) {
      throw refuse(
          place
              + "more than %d by element or argument; put those steps under a separate template and need that as a whole"
                  .formatted(MAX_RELATIONS));
    }
    Relation relation =
        need.match() == NeedMatch.ELEMENT
            ? element(place, from, to)
            : argument(place, from, to, need.by());
    relations.add(relation);
    from.before().add(relation);
    to.after().add(relation);
  }

  private Relation element(String place, PlannedTemplate from, PlannedTemplate to) {
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
        relations.size(),
        from.number(),
        to.number(),
        NeedMatch.ELEMENT,
        new int[0],
        new int[0],
        List.of());
  }

  private Relation argument(
      String place, PlannedTemplate from, PlannedTemplate to, List<String> by) {
    int[] fromLists = new int[by.size()];
    int[] toLists = new int[by.size()];
    SameValues[] values = new SameValues[by.size()];
    for (int i = 0; i < by.size(); i++) {
      String argument = by.get(i);
      fromLists[i] = list(place, from, argument);
      toLists[i] = list(place, to, argument);
      values[i] =
          values(
              place + argument + ": ",
              workflow.templates().get(from.name()).each().get(argument),
              workflow.templates().get(to.name()).each().get(argument),
              from.name());
    }
    return new Relation(
        relations.size(),
        from.number(),
        to.number(),
        NeedMatch.ARGUMENT,
        fromLists,
        toLists,
        List.of(values));
  }

  private static int list(String place, PlannedTemplate template, String argument) {
    int at = template.arguments().indexOf(argument);
    if (at < 0) {
      throw refuse(
          place
              + "'"
              + template.name()
              + "' has no list of '"
              + ShownText.of(argument)
              + "' under each"
              + hint(argument, template.arguments()));
    }
    return at;
  }

  private SameValues values(String place, ValueList from, ValueList to, String template) {
    if (!Objects.equals(from.source(), to.source())) {
      throw refuse(
          place
              + "a list that a step gives is only compared with the same list, with the same max");
    }
    if (from.source() != null) {
      return SameValues.alike(from.size());
    }
    if (from.range() != null && to.range() != null) {
      return ranges(place, from.range(), to.range(), template);
    }
    compared += from.size() + to.size();
    if (compared > MAX_COMPARED) {
      throw refuse(
          place
              + "the lists that are compared have more than %d values together in the workflow; use ranges such as 1-500, or match: element"
                  .formatted(MAX_COMPARED));
    }
    return lists(place, from, to, template);
  }

  private static SameValues ranges(String place, ArrayRange from, ArrayRange to, String template) {
    for (long i = 0; i < to.size(); i++) {
      long value = to.first() + i * to.step();
      if (value < from.first()
          || value > from.last()
          || (value - from.first()) % from.step() != 0) {
        throw absent(place, Long.toString(value), template);
      }
      // Two that fit prove the step, the last one proves all.
      if (i == 1 && to.first() + (to.size() - 1) * to.step() <= from.last()) {
        break;
      }
    }
    long stride = Math.max(1, to.step() / from.step());
    return new SameValues(
        (int) to.size(), (to.first() - from.first()) / from.step(), stride, null, null);
  }

  private static SameValues lists(String place, ValueList from, ValueList to, String template) {
    Map<String, Integer> known = new HashMap<>();
    for (int i = 0; i < from.size(); i++) {
      known.put(from.get(i), i);
    }
    int[] places = new int[to.size()];
    int[] reverse = new int[from.size()];
    Arrays.fill(reverse, -1);
    for (int i = 0; i < places.length; i++) {
      Integer found = known.get(to.get(i));
      if (found == null) {
        throw absent(place, to.get(i), template);
      }
      places[i] = found;
      reverse[found] = i;
    }
    return new SameValues(places.length, 0, 1, places, reverse);
  }

  private static MillraceException absent(String place, String value, String template) {
    return refuse(
        place
            + "the value '"
            + ShownText.of(value)
            + "' does not occur in template '"
            + template
            + "'");
  }

  private static String hint(String wrong, Collection<String> known) {
    return NearestName.of(wrong, known).map(name -> "; did you mean '" + name + "'?").orElse("");
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
  }
}
