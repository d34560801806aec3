package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.OutputReference;
import io.millrace.api.workflow.Placeholders;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowDefinition;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.StepGraph;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.job.JobRules;
import io.millrace.manager.job.NotificationRules;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a workflow must fulfil before anything of it is stored. Pure. */
public final class WorkflowRules {
  private static final int MAX_PROBLEMS = 100;
  private static final int SHOWN_WARNINGS = 20;
  private static final String TEMPLATES = "templates";
  private static final Pattern PATH = Pattern.compile("([a-zA-Z][^ :]*): (.*)", Pattern.DOTALL);

  private WorkflowRules() {}

  /**
   * Checks the beginning of a submission; returns the plan of its templates.
   *
   * @throws MillraceException INVALID_DEFINITION with a line for each problem
   */
  static WorkflowPlan check(WorkflowSubmission submission, WebhookRule webhooks) {
    WorkflowSpec workflow = submission.workflow();
    WorkflowPlan plan = WorkflowPlan.of(workflow);
    boolean listed = workflow.templates().values().stream().anyMatch(StepTemplate::listed);
    require(
        listed == submission.listedSteps() > 0,
        listed
            ? "no steps are announced for the templates with listed steps"
            : "steps are announced, but no template has listed steps");
    requireSize((long) plan.fixedSteps() + submission.listedSteps());
    List<GraphProblem> problems = jobs(workflow, webhooks);
    checkValues(workflow, problems);
    if (!problems.isEmpty()) {
      throw refuse(
          first(problems).stream().map(GraphProblem::toString).collect(Collectors.joining("\n")));
    }
    return plan;
  }

  /** What is wrong with a whole workflow, cycles of listed steps included. */
  public static List<GraphProblem> problems(WorkflowDefinition workflow, WebhookRule webhooks) {
    List<GraphProblem> problems = new ArrayList<>();
    WorkflowGraph graph = workflow.graph(problems);
    problems.addAll(graph.problems());
    if (problems.isEmpty()) {
      return problems(graph, webhooks);
    }
    problems.addAll(jobs(workflow.spec(), webhooks));
    return first(problems);
  }

  /**
   * What a central manager would refuse of a graph without {@link WorkflowGraph#problems}: its jobs
   * and notifications, values that steps take from others, and cycles.
   */
  public static List<GraphProblem> problems(WorkflowGraph graph, WebhookRule webhooks) {
    WorkflowSpec workflow = graph.prepare();
    List<GraphProblem> problems = jobs(workflow, webhooks);
    checkValues(workflow, problems);
    if (problems.isEmpty()) {
      cycle(graph).ifPresent(problems::add);
    }
    return first(problems);
  }

  private static List<GraphProblem> first(List<GraphProblem> problems) {
    return problems.subList(0, Math.min(MAX_PROBLEMS, problems.size()));
  }

  private static void checkValues(WorkflowSpec workflow, List<GraphProblem> problems) {
    workflow
        .templates()
        .forEach(
            (name, template) -> check("templates." + name + ".job", workflow, template, problems));
  }

  private static Optional<GraphProblem> cycle(WorkflowGraph graph) {
    try {
      requireSize(graph.size());
      WorkflowPlan plan = WorkflowPlan.of(graph.prepare());
      Map<String, Integer> numbers = new HashMap<>();
      plan.templates().forEach(one -> numbers.put(one.name(), one.number()));
      StepGraph steps = new StepGraph(plan, graph.listedSteps());
      for (int bound = 0; bound < graph.listedSteps(); bound += StepChunk.MAX) {
        for (ListedStep step : graph.chunk(bound).steps()) {
          steps.add(
              new StoredStep(
                  numbers.get(step.template()),
                  ListedSteps.sorted(step.needs()),
                  ListedSteps.sorted(step.all().stream().map(numbers::get).toList()),
                  step.name() == null ? "" : step.name(),
                  step.arguments()));
        }
      }
      return steps
          .finish(step -> name(graph, step - plan.fixedSteps()))
          .map(problem -> new GraphProblem("steps", problem));
    } catch (MillraceException e) {
      return Optional.of(placed(TEMPLATES, e.getMessage()));
    }
  }

  private static String name(WorkflowGraph graph, int listed) {
    String name = graph.chunk(listed).steps().get(0).name();
    return name == null ? "" : name;
  }

  /**
   * The problem that a rule's message describes.
   *
   * @param path if the message does not begin with one
   */
  private static GraphProblem placed(String path, String message) {
    Matcher found = PATH.matcher(message);
    return found.matches()
        ? new GraphProblem(found.group(1), found.group(2))
        : new GraphProblem(path, message);
  }

  /** What is wrong with the jobs of a workflow and with whom it notifies. */
  private static List<GraphProblem> jobs(WorkflowSpec workflow, WebhookRule webhooks) {
    List<GraphProblem> problems = new ArrayList<>();
    workflow
        .templates()
        .forEach(
            (name, template) -> {
              String place = "templates." + name + ".job";
              JobSpec job = StepResources.scaled(template.job());
              add(place, JobRules.problems(JobKind.SUBMITTED, job), problems);
              checkPriority(place, workflow, job, problems);
            });
    if (workflow.onFailure() != null) {
      add("onFailure", FollowUpJob.problems(workflow.onFailure()), problems);
    }
    if (workflow.onSuccess() != null) {
      add("onSuccess", FollowUpJob.problems(workflow.onSuccess()), problems);
    }
    NotificationRules.problems(workflow.notification(), NotificationRules.OF_WORKFLOWS, webhooks)
        .forEach(problem -> problems.add(placed("notify", problem)));
    return problems;
  }

  private static void add(String place, List<String> found, List<GraphProblem> problems) {
    if (!found.isEmpty()) {
      problems.add(new GraphProblem(place, String.join("; ", found)));
    }
  }

  /**
   * The priority of the jobs of a template's steps. A definition that an older version stored may
   * ask for more than is allowed now, and counts as the nearest number that is.
   */
  static int priority(WorkflowSpec workflow, JobSpec job) {
    long sum = sum(workflow, job);
    return (int) Math.max(-JobRules.MAX_PRIORITY, Math.min(JobRules.MAX_PRIORITY, sum));
  }

  /**
   * Templates of a stored definition whose priority counts as another one.
   *
   * @param open which templates have steps that have not ended
   * @return at most some, human-readable
   */
  static List<String> warnings(WorkflowSpec workflow, Predicate<String> open) {
    return workflow.templates().entrySet().stream()
        .filter(one -> open.test(one.getKey()))
        .filter(
            one -> sum(workflow, one.getValue().job()) != priority(workflow, one.getValue().job()))
        .limit(SHOWN_WARNINGS)
        .map(
            one ->
                "'%s' has priority %d, which counts as %d: priorities are from -%d to %d"
                    .formatted(
                        one.getKey(),
                        sum(workflow, one.getValue().job()),
                        priority(workflow, one.getValue().job()),
                        JobRules.MAX_PRIORITY,
                        JobRules.MAX_PRIORITY))
        .toList();
  }

  private static long sum(WorkflowSpec workflow, JobSpec job) {
    return (long) job.priority() + workflow.priority();
  }

  private static void checkPriority(
      String place, WorkflowSpec workflow, JobSpec job, List<GraphProblem> problems) {
    long sum = sum(workflow, job);
    if (Math.abs(sum) > JobRules.MAX_PRIORITY
        && Math.abs((long) job.priority()) <= JobRules.MAX_PRIORITY) {
      problems.add(
          new GraphProblem(
              place,
              "priority: %d and the workflow's priority %d make %d; use a sum from -%d to %d"
                  .formatted(
                      job.priority(),
                      workflow.priority(),
                      sum,
                      JobRules.MAX_PRIORITY,
                      JobRules.MAX_PRIORITY)));
    }
  }

  private static void check(
      String place, WorkflowSpec workflow, StepTemplate template, List<GraphProblem> problems) {
    if (template.listed()) {
      return;
    }
    Set<String> known = new HashSet<>(template.each().keySet());
    workflow.arguments().keySet().forEach(name -> known.add("workflow." + name));
    for (String name : Placeholders.names(template.job())) {
      Optional<OutputReference> output = OutputReference.of(name, workflow.templates().keySet());
      if (known.contains(name)) {
        continue;
      }
      if (output.isEmpty()) {
        problems.add(
            new GraphProblem(
                place,
                "'{%s}' has no value: it is neither a list under each nor one of the workflow's arguments; literal braces are written twice"
                    .formatted(name)));
      } else if (!hasOneGiver(workflow, template, output.get())) {
        problems.add(
            new GraphProblem(
                place,
                "'{%s.%s}' is a value of a step of '%s': each step must need exactly one step of it, by match: element or because it has a single one"
                    .formatted(
                        output.get().template(), output.get().name(), output.get().template())));
      }
    }
  }

  private static boolean hasOneGiver(
      WorkflowSpec workflow, StepTemplate template, OutputReference output) {
    StepTemplate giver = workflow.templates().get(output.template());
    return template.needs().stream()
        .filter(need -> need.of().equals(output.template()))
        .anyMatch(
            need ->
                need.match() == NeedMatch.ELEMENT
                    || (need.match() == NeedMatch.ALL && giver.size() == 1));
  }

  private static void requireSize(long steps) {
    require(
        steps <= WorkflowSpec.MAX_STEPS,
        "the workflow has %d steps; the most are %d".formatted(steps, WorkflowSpec.MAX_STEPS));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw refuse(rule);
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
  }
}
