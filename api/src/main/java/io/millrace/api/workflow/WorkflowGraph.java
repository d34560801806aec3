package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.ShownText;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.api.workflow.GraphCheck.GraphProblems;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds a workflow (J-01, J-02): its templates, and steps that are listed one by one. A million
 * listed steps with names and short arguments take about 100 MB. Nothing is added once it was
 * prepared for submission. Not thread-safe.
 *
 * <pre>{@code
 * WorkflowGraph graph = new WorkflowGraph("nightly");
 * TemplateDraft fetch =
 *     graph.template("fetch", JobDraft.command("fetch", "{day}").spec()).each("day", "mon", "tue");
 * TemplateDraft sum = graph.template("sum", JobDraft.command("sum", "{region}").spec());
 * StepHandle north = graph.step("north", sum, Map.of("region", "north")).needs(fetch);
 * graph.step("south", sum, Map.of("region", "south")).needs(north);
 * }</pre>
 */
public final class WorkflowGraph {
  // What a step needs is one number: a listed step from 0 on; below it templates, and then steps
  // that are made by lists.
  private static final int FIRST_TEMPLATE = -1;
  private static final int FIRST_MADE = FIRST_TEMPLATE - WorkflowSpec.MAX_TEMPLATES;

  private final String name;
  private final Map<String, String> arguments = new LinkedHashMap<>();
  private final Map<String, TemplateDraft> templates = new LinkedHashMap<>();
  private final List<TemplateDraft> byNumber = new ArrayList<>();
  private final StepTable steps = new StepTable();
  private final StepTable.Ints madeTemplate = new StepTable.Ints();
  private final StepTable.Ints madePosition = new StepTable.Ints();
  private final GraphProblems problems = new GraphProblems();
  private Integer maxRunning;
  private boolean failFast;
  private boolean allowInfeasible;
  private Duration timeout;
  private int priority;
  private JobSpec onFailure;
  private JobSpec onSuccess;
  private Notification notification;
  // Not null once nothing is added any more.
  private WorkflowSpec prepared;
  // As of the last check.
  private int[] firstOfTemplate;

  /** A graph without templates. */
  public WorkflowGraph(String name) {
    Names.require("name", name, ErrorCode.INVALID_DEFINITION);
    this.name = name;
  }

  /** A graph with these templates and without listed steps. */
  public static WorkflowGraph of(WorkflowSpec workflow) {
    WorkflowGraph graph = new WorkflowGraph(workflow.name());
    graph.arguments.putAll(workflow.arguments());
    graph.maxRunning = workflow.maxRunning();
    graph.failFast = workflow.failFast();
    graph.timeout = workflow.timeout();
    graph.priority = workflow.priority();
    graph.onFailure = workflow.onFailure();
    graph.onSuccess = workflow.onSuccess();
    graph.notification = workflow.notification();
    workflow
        .templates()
        .forEach((name, template) -> graph.add(name, template.job()).take(template));
    return graph;
  }

  /** A value for the whole run, written {@code {workflow.NAME}} in commands. */
  public WorkflowGraph argument(String argument, String value) {
    changing().arguments.put(argument, value);
    return this;
  }

  /** The most steps that run at the same time; 0 starts none until the limit is raised. */
  public WorkflowGraph maxRunning(int steps) {
    changing().maxRunning = steps;
    return this;
  }

  /** No further step starts once one has failed. */
  public WorkflowGraph failFast() {
    changing().failFast = true;
    return this;
  }

  /** The time after which the run is cancelled and fails. */
  public WorkflowGraph timeout(Duration limit) {
    changing().timeout = limit;
    return this;
  }

  /** Steps may ask for more than any node has now; they wait until a node that has it is added. */
  public WorkflowGraph allowInfeasible() {
    changing().allowInfeasible = true;
    return this;
  }

  /** Added to the priority of each step's job. */
  public WorkflowGraph priority(int added) {
    changing().priority = added;
    return this;
  }

  /** A job that is submitted when the run fails. */
  public WorkflowGraph onFailure(JobSpec job) {
    changing().onFailure = job;
    return this;
  }

  /** A job that is submitted when the run succeeds. */
  public WorkflowGraph onSuccess(JobSpec job) {
    changing().onSuccess = job;
    return this;
  }

  /** Whom to notify of the run's failure or delay. */
  public WorkflowGraph notification(Notification whom) {
    changing().notification = whom;
    return this;
  }

  /**
   * Adds a template. Without lists and without listed steps it has one step.
   *
   * @param job of each step; {@code {NAME}} in its command, environment and standard input is
   *     replaced by the step's argument of that name
   * @throws MillraceException INVALID_DEFINITION if there is one of that name
   */
  public TemplateDraft template(String template, JobSpec job) {
    Names.require("a template's name", template, ErrorCode.INVALID_DEFINITION);
    if (templates.containsKey(template)) {
      throw refused("there are two templates named " + template);
    }
    return changing().add(template, job);
  }

  private TemplateDraft add(String template, JobSpec job) {
    TemplateDraft draft = new TemplateDraft(this, byNumber.size(), template, job);
    templates.put(template, draft);
    byNumber.add(draft);
    return draft;
  }

  /** The template of that name. */
  public Optional<TemplateDraft> template(String template) {
    return Optional.ofNullable(templates.get(template));
  }

  /** The names of all templates, in their order. */
  public List<String> templates() {
    return List.copyOf(templates.keySet());
  }

  /**
   * Lists a step of a template.
   *
   * @param step unique in the graph; null for none
   * @param values for the placeholders of the template
   * @throws MillraceException INVALID_DEFINITION if there are too many steps
   */
  public StepHandle step(String step, TemplateDraft template, Map<String, String> values) {
    changing().owned(template.graph);
    template.hasListed = true;
    return add(step, template.number, values);
  }

  /** The same with a template's name; if there is none of that name, that is a problem. */
  public StepHandle step(String step, String template, Map<String, String> values) {
    TemplateDraft found = templates.get(template);
    if (found != null) {
      return step(step, found, values);
    }
    StepHandle added = changing().add(step, StepTable.UNKNOWN, values);
    problems.add(
        place(added.number) + ".template",
        "there is no template '%s'; there are %s",
        ShownText.of(template),
        ShownText.of(String.join(", ", templates.keySet())));
    return added;
  }

  private StepHandle add(String step, int template, Map<String, String> values) {
    if (steps.size() == WorkflowSpec.MAX_STEPS) {
      throw refused("more than " + WorkflowSpec.MAX_STEPS + " steps");
    }
    int position = steps.add(step, template, values);
    if (step != null) {
      int first = steps.register(position);
      if (first >= 0) {
        problems.add(place(position) + ".name", "steps[%d] has the same name, '%s'", first, step);
      } else if (templates.containsKey(step)) {
        problems.add(
            place(position) + ".name", "'%s' is the name of a template; choose another one", step);
      } else if (step.isBlank()) {
        problems.add(place(position) + ".name", "a name must not be blank");
      }
    }
    ListedStepRule.ofTexts(step, values).ifPresent(wrong -> add(problems, position, wrong));
    return new StepHandle(this, position);
  }

  private static void add(GraphProblems found, int listed, GraphProblem wrong) {
    found.add(place(listed) + "." + wrong.path(), "%s", wrong.text());
  }

  /** The listed step of that name. */
  public Optional<StepHandle> step(String step) {
    int found = steps.find(step);
    return found < 0 ? Optional.empty() : Optional.of(new StepHandle(this, found));
  }

  /**
   * The listed step at a position from 0, in the order in which they were added.
   *
   * @throws IndexOutOfBoundsException if there is no such step
   */
  public StepHandle listedStep(int position) {
    if (position < 0 || position >= steps.size()) {
      throw new IndexOutOfBoundsException("there is no listed step " + position);
    }
    return new StepHandle(this, position);
  }

  StepHandle made(TemplateDraft template, int position) {
    madeTemplate.add(template.number);
    madePosition.add(position);
    return new StepHandle(this, FIRST_MADE - (madeTemplate.size() - 1));
  }

  private static String place(int listed) {
    return "steps[" + listed + "]";
  }

  private WorkflowGraph changing() {
    if (prepared != null) {
      throw new IllegalStateException("workflow " + name + " was prepared and no longer changes");
    }
    return this;
  }

  private void owned(WorkflowGraph other) {
    if (other != this) {
      throw new IllegalArgumentException("a template or step of another workflow");
    }
  }

  /** The number of steps that are listed one by one. */
  public int listedSteps() {
    return steps.size();
  }

  /** The number of all steps. */
  public long size() {
    return byNumber.stream().mapToLong(TemplateDraft::made).sum() + steps.size();
  }

  /** Whether a step gives a list of that template, so that its number of steps is the most. */
  public boolean isGiven(String template) {
    TemplateDraft found = templates.get(template);
    return found != null && found.template().source() != null;
  }

  /** The number of steps of each template, in their order; the most, if a step gives a list. */
  public Map<String, Integer> sizes() {
    int[] listed = new int[byNumber.size()];
    for (int step = 0; step < steps.size(); step++) {
      if (steps.template(step) != StepTable.UNKNOWN) {
        listed[steps.template(step)]++;
      }
    }
    Map<String, Integer> sizes = new LinkedHashMap<>();
    byNumber.forEach(one -> sizes.put(one.name, one.made() + listed[one.number]));
    return sizes;
  }

  /**
   * Checks the graph: names, arguments, needs, and steps that occur twice. Cycles are found by the
   * server.
   *
   * @return what is wrong; the first hundred problems
   */
  public List<GraphProblem> problems() {
    GraphProblems all = new GraphProblems(problems);
    try {
      WorkflowSpec spec = spec();
      new GraphCheck(spec, steps, all).run();
      checkMade(all);
      if (all.list().isEmpty()) {
        checkNeeds(spec, all);
      }
    } catch (MillraceException e) {
      all.add("", "%s", e.getMessage());
    }
    return all.list();
  }

  // Once the rest is right: names, arguments and templates have been checked already.
  private void checkNeeds(WorkflowSpec spec, GraphProblems all) {
    numberTemplates();
    ListedStepRule rule = new ListedStepRule(spec, steps.size());
    for (int step = 0; step < steps.size(); step++) {
      NumberedNeeds needs = needs(step);
      int number = firstOfTemplate[byNumber.size()] + step;
      String template = byNumber.get(steps.template(step)).name;
      Optional<GraphProblem> wrong = rule.ofNeeds(number, template, needs.steps, needs.templates);
      if (wrong.isPresent()) {
        add(all, step, wrong.get());
      }
    }
  }

  private void checkMade(GraphProblems all) {
    for (int i = 0; i < madeTemplate.size(); i++) {
      TemplateDraft template = byNumber.get(madeTemplate.get(i));
      if (madePosition.get(i) >= template.made()) {
        all.add(
            "templates." + template.name,
            "a step needs the one at position %d, but its steps are listed",
            madePosition.get(i));
      }
    }
  }

  /**
   * Prepares the graph for submission.
   *
   * @throws MillraceException INVALID_DEFINITION with all problems
   */
  public WorkflowSpec prepare() {
    if (prepared == null) {
      List<GraphProblem> wrong = problems();
      if (!wrong.isEmpty()) {
        throw refused(GraphProblems.shown(wrong));
      }
      prepared = spec();
      numberTemplates();
    }
    return prepared;
  }

  private void numberTemplates() {
    firstOfTemplate = new int[byNumber.size() + 1];
    for (TemplateDraft one : byNumber) {
      firstOfTemplate[one.number + 1] = firstOfTemplate[one.number] + one.made();
    }
  }

  /**
   * The beginning of its submission.
   *
   * @param runKey distinguishes runs of the same graph; null for none
   * @throws MillraceException INVALID_DEFINITION with all problems
   */
  public WorkflowSubmission submission(String runKey) {
    return new WorkflowSubmission(
        prepare(), runKey, steps.size(), identity(runKey), allowInfeasible);
  }

  /** The hash of the whole graph; takes seconds for millions of steps. */
  public String identity(String runKey) {
    WorkflowIdentity identity = new WorkflowIdentity(prepare(), runKey);
    for (int step = 0; step < steps.size(); step++) {
      identity.add(listed(step));
    }
    return identity.hash();
  }

  /**
   * The chunk of listed steps that follows those that the server has.
   *
   * @param bound the number of listed steps that the server has
   */
  public StepChunk chunk(int bound) {
    prepare();
    int end = Math.min(steps.size(), bound + StepChunk.MAX);
    List<ListedStep> chunk = new ArrayList<>(end - bound);
    for (int step = bound; step < end; step++) {
      chunk.add(listed(step));
    }
    return new StepChunk(firstOfTemplate[byNumber.size()] + bound, chunk);
  }

  private ListedStep listed(int step) {
    NumberedNeeds needs = needs(step);
    String template = byNumber.get(steps.template(step)).name;
    return new ListedStep(
        steps.name(step), template, steps.arguments(step), needs.steps, needs.templates);
  }

  private record NumberedNeeds(List<Integer> steps, List<String> templates) {}

  private NumberedNeeds needs(int step) {
    List<Integer> needs = new ArrayList<>();
    List<String> all = new ArrayList<>();
    for (int need : steps.needs(step)) {
      if (need >= 0) {
        needs.add(firstOfTemplate[byNumber.size()] + need);
      } else if (need > FIRST_MADE) {
        all.add(byNumber.get(FIRST_TEMPLATE - need).name);
      } else {
        int made = FIRST_MADE - need;
        needs.add(firstOfTemplate[madeTemplate.get(made)] + madePosition.get(made));
      }
    }
    return new NumberedNeeds(needs, all);
  }

  private WorkflowSpec spec() {
    Map<String, StepTemplate> drafted = new LinkedHashMap<>();
    templates.forEach((key, draft) -> drafted.put(key, draft.template()));
    return new WorkflowSpec(
        name,
        arguments,
        drafted,
        maxRunning,
        failFast,
        timeout,
        priority,
        onFailure,
        onSuccess,
        notification);
  }

  private static MillraceException refused(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
  }

  /** A template that is being built. Not thread-safe. */
  public static final class TemplateDraft {
    private final WorkflowGraph graph;
    private final int number;
    private final String name;
    private final JobSpec job;
    private final Map<String, ValueList> each = new LinkedHashMap<>();
    private final List<StepNeed> needs = new ArrayList<>();
    private Integer maxRunning;
    private BreakerRule breaker;
    private boolean listed;
    private boolean hasListed;

    private TemplateDraft(WorkflowGraph graph, int number, String name, JobSpec job) {
      this.graph = graph;
      this.number = number;
      this.name = name;
      this.job = job;
    }

    private void take(StepTemplate template) {
      each.putAll(template.each());
      needs.addAll(template.needs());
      maxRunning = template.maxRunning();
      breaker = template.breaker();
      listed = template.listed();
    }

    /** The values of an argument: a step is made for each combination of all its arguments. */
    public TemplateDraft each(String argument, ValueList values) {
      graph.changing();
      each.put(argument, values);
      return this;
    }

    /** The same with values one by one. */
    public TemplateDraft each(String argument, String... values) {
      return each(argument, ValueList.of(List.of(values)));
    }

    /**
     * The values of its first argument are the list that the only step of another template gives;
     * its steps wait for that one.
     *
     * @param value the name of the list among the values of that step
     * @param max the most values
     */
    public TemplateDraft eachOf(String argument, TemplateDraft giver, String value, int max) {
      each(argument, ValueList.of(new ListSource(giver.name + "." + value, max)));
      return needs.contains(StepNeed.all(giver.name)) ? this : needs(giver);
    }

    /** All its steps wait for all steps of that template. */
    public TemplateDraft needs(TemplateDraft other) {
      return need(other, StepNeed.all(other.name));
    }

    /** Each of its steps waits for the step of that template at the same position. */
    public TemplateDraft needsElements(TemplateDraft other) {
      return need(other, new StepNeed(other.name, WorkflowSpec.NeedMatch.ELEMENT, null));
    }

    /** Each of its steps waits for those of that template with the same values of arguments. */
    public TemplateDraft needsEqual(TemplateDraft other, String... equal) {
      return need(other, new StepNeed(other.name, WorkflowSpec.NeedMatch.ARGUMENT, List.of(equal)));
    }

    private TemplateDraft need(TemplateDraft other, StepNeed need) {
      graph.changing().owned(other.graph);
      needs.add(need);
      return this;
    }

    /** The most of its steps that run at the same time. */
    public TemplateDraft maxRunning(int steps) {
      graph.changing();
      maxRunning = steps;
      return this;
    }

    /** When no further steps of it are started because they fail. */
    public TemplateDraft breaker(BreakerRule rule) {
      graph.changing();
      breaker = rule;
      return this;
    }

    /**
     * The step that its lists make at a position from 0, the last argument varying fastest.
     *
     * @throws IndexOutOfBoundsException if there is no such step
     * @throws MillraceException INVALID_DEFINITION if a step gives one of its lists
     */
    public StepHandle element(int position) {
      if (template().source() != null) {
        throw refused(name + ": which steps it has is known only when its list was given");
      }
      if (position < 0 || position >= made()) {
        throw new IndexOutOfBoundsException(name + " has no step at position " + position);
      }
      return graph.made(this, position);
    }

    private int made() {
      return template().size();
    }

    // A template without lists has one step, unless steps of it are listed.
    private StepTemplate template() {
      return new StepTemplate(
          job, each, listed || (hasListed && each.isEmpty()), needs, maxRunning, breaker);
    }
  }

  /** A step of a graph. Not thread-safe. */
  public static final class StepHandle {
    private final WorkflowGraph graph;
    private final int number;

    private StepHandle(WorkflowGraph graph, int number) {
      this.graph = graph;
      this.number = number;
    }

    /** The step waits for these steps. */
    public StepHandle needs(StepHandle... others) {
      for (StepHandle other : others) {
        graph.owned(other.graph);
        if (other.number == number) {
          graph.problems.add(place(number) + ".needs", "the step needs itself");
        }
        need(other.number);
      }
      return this;
    }

    /** The step waits for all steps of these templates. */
    public StepHandle needs(TemplateDraft... others) {
      for (TemplateDraft other : others) {
        graph.owned(other.graph);
        need(FIRST_TEMPLATE - other.number);
      }
      return this;
    }

    private void need(int other) {
      graph.changing();
      if (number < 0) {
        throw new IllegalStateException("what steps made by lists need is said of their template");
      }
      graph.steps.addNeed(number, other);
    }
  }
}
