package io.millrace.manager.workflow;

import io.millrace.api.job.JobState;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.Successors;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.MatchingSteps;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.workflow.ReleaseDao.EndRow;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * Carries out ends of steps and openings of one workflow in one transaction, under the lock of its
 * row: reads the blocks that are concerned, changes them in memory and writes them once. One
 * thread.
 *
 * <p>A step counts once: only the change from RELEASED to an ended state has consequences, and only
 * if it ended in the epoch in which it was released. What is set back counts the other way. An
 * opening that is not finished within the bound of a round is continued in the next one.
 */
final class ReleaseRound {
  /** Steps that the openings of one round usually look at. */
  static final int MAX_TOUCHED = 16_384;

  private static final int FORGOTTEN = 500;
  private static final int[] NONE = {};

  private final Handle handle;
  private final StepDao steps = new StepDao();
  private final WorkflowRow workflow;
  private final WorkflowPlan plan;
  private final boolean releasing;
  private final StepStates states;
  private final ArgumentCounters counters;
  private final TemplateCounters templateCounters;
  private final ListBinding lists;
  private final Map<Integer, NumberList> released = new TreeMap<>();
  private final Deque<StepOpening> openings = new ArrayDeque<>();
  // What they gave must not count if they give nothing when they run again.
  private final List<Integer> forgotten = new ArrayList<>();

  /**
   * A round.
   *
   * @param releasing whether steps whose needs are met are released; otherwise they keep waiting
   */
  ReleaseRound(Handle handle, WorkflowRow workflow, WorkflowPlan plan, boolean releasing) {
    this.handle = handle;
    this.workflow = workflow;
    this.plan = plan;
    this.releasing = releasing;
    this.states = new StepStates(handle, workflow, plan);
    this.counters = new ArgumentCounters(handle, workflow.id(), steps);
    this.templateCounters =
        new TemplateCounters(plan, states::template, workflow.listedSteps() > 0, openings::add);
    this.lists = new ListBinding(handle, workflow.id(), plan, states::template);
  }

  /** Steps that were released, by template, in the order of their release. */
  Map<Integer, NumberList> released() {
    return released;
  }

  /** Whether any step failed in this round. */
  boolean hasFailures() {
    return states.hasFailures();
  }

  TemplateRow template(int number) {
    return states.template(number);
  }

  /**
   * Carries out ends.
   *
   * @param arrays those that the ends name; ends of no array were declared by somebody
   */
  void end(List<EndRow> ends, Map<Long, StepArray> arrays) {
    int[] good = numbers(ends, true);
    Map<Integer, int[][]> successors = successors(good);
    states.load(
        StepBlock.numbersOf(
            IntStream.concat(
                ends.stream().flatMapToInt(end -> Arrays.stream(end.steps())),
                successors.values().stream()
                    .flatMap(Arrays::stream)
                    .flatMapToInt(Arrays::stream))));
    for (EndRow end : ends) {
      for (int step : end.steps()) {
        if (isCurrent(end, arrays.get(end.array()), step)) {
          WorkflowStepState state = state(end.state());
          if (state == WorkflowStepState.SUCCEEDED && !givesLists(end, step)) {
            state = WorkflowStepState.FAILED;
          }
          states.end(step, state);
          if (state == WorkflowStepState.SUCCEEDED) {
            follow(step, successors);
          }
        }
      }
    }
  }

  // A step that somebody declares to have succeeded gives nothing new: the lists before it count.
  private boolean givesLists(EndRow end, int step) {
    PlannedTemplate giver = templateOf(step);
    return (end.array() == ReleaseDao.DECLARED && lists.keep(giver)) || lists.take(step, giver);
  }

  /** The template of a step. */
  PlannedTemplate templateOf(int step) {
    return states.templateOf(step);
  }

  private boolean isCurrent(EndRow end, StepArray array, int step) {
    return states.state(step) == WorkflowStepState.RELEASED
        && (end.array() == ReleaseDao.DECLARED
            ? states.declared(step)
            : array != null && states.releasedIn(step, array.epoch()));
  }

  private static int[] numbers(List<EndRow> ends, boolean succeeded) {
    return ends.stream()
        .filter(end -> (end.state() == JobState.SUCCEEDED) == succeeded)
        .flatMapToInt(end -> Arrays.stream(end.steps()))
        .toArray();
  }

  // The lists of successors by step of each block that has any.
  private Map<Integer, int[][]> successors(int[] ended) {
    Map<Integer, int[][]> lists = new HashMap<>();
    if (workflow.listedSteps() == 0) {
      return lists;
    }
    steps
        .successors(handle, workflow.id(), StepBlock.numbersOf(ended))
        .forEach((number, content) -> lists.put(number, Successors.decode(content)));
    return lists;
  }

  private static WorkflowStepState state(JobState ended) {
    return switch (ended) {
      case SUCCEEDED -> WorkflowStepState.SUCCEEDED;
      case FAILED -> WorkflowStepState.FAILED;
      case CANCELLED -> WorkflowStepState.CANCELLED;
      default -> throw new IllegalArgumentException("not an end: " + ended);
    };
  }

  /** Lets steps that have ended wait again; others are left as they are. */
  void reset(int[] numbers) {
    states.load(numbers);
    int[] good =
        Arrays.stream(numbers)
            .filter(step -> states.state(step) == WorkflowStepState.SUCCEEDED)
            .toArray();
    Map<Integer, int[][]> successors = successors(good);
    states.load(
        StepBlock.numbersOf(
            Arrays.stream(good).flatMap(step -> Arrays.stream(following(step, successors)))));
    for (int step : numbers) {
      WorkflowStepState state = states.state(step);
      if (state == WorkflowStepState.SUCCEEDED) {
        unfollow(step, successors);
      }
      if (state.ended()) {
        waitAgain(step);
      }
    }
  }

  // The listed steps that need a step by itself.
  private static int[] following(int step, Map<Integer, int[][]> successors) {
    int[][] lists = successors.get(StepBlock.of(step));
    return lists == null ? NONE : lists[step % StepBlock.SIZE];
  }

  // The reverse of follow and count.
  private void unfollow(int step, Map<Integer, int[][]> successors) {
    PlannedTemplate template = templateOf(step);
    if (states.template(template.number()).complete()) {
      templateCounters.incomplete(template);
    }
    for (Relation relation : template.before()) {
      if (relation.match() == NeedMatch.ELEMENT) {
        PlannedTemplate to = plan.templates().get(relation.to());
        lose(to.first() + step - template.first());
      } else {
        countUp(relation, plan.combination(relation, step));
      }
    }
    for (int next : following(step, successors)) {
      lose(next);
    }
  }

  private void waitAgain(int step) {
    if (states.state(step) == WorkflowStepState.SUCCEEDED || !templateOf(step).takers().isEmpty()) {
      forgotten.add(step);
    }
    states.waitAgain(step);
  }

  /** Makes waiting steps ready for an end that somebody declares. */
  void releaseForDeclaration(int[] numbers) {
    for (int step : numbers) {
      states.releaseForDeclaration(step);
    }
  }

  /** The state of a step as this round left it. */
  WorkflowStepState state(int step) {
    return states.state(step);
  }

  private void follow(int step, Map<Integer, int[][]> successors) {
    PlannedTemplate template = templateOf(step);
    if (states.template(template.number()).complete()) {
      templateCounters.complete(template);
    }
    for (Relation relation : template.before()) {
      if (relation.match() == NeedMatch.ELEMENT) {
        PlannedTemplate to = plan.templates().get(relation.to());
        meet(to.first() + step - template.first());
      } else {
        countDown(relation, plan.combination(relation, step));
      }
    }
    for (int next : following(step, successors)) {
      meet(next);
    }
  }

  private void countDown(Relation relation, int combination) {
    if (counters.add(relation, combination, -1, sharing(relation)) == 0) {
      openings.add(StepOpening.of(OpeningKind.ARGUMENT, relation.number(), combination));
    }
  }

  private void countUp(Relation relation, int combination) {
    if (counters.add(relation, combination, 1, sharing(relation)) == 1) {
      openings.add(StepOpening.of(OpeningKind.ARGUMENT_LOST, relation.number(), combination));
    }
  }

  private int sharing(Relation relation) {
    return plan.sharing(relation, states.template(relation.from()).steps);
  }

  /** One need of a step is met. */
  private void meet(int step) {
    states.addUnmet(step, -1);
    releaseIfReady(step);
  }

  // One need of a step is no longer met. What has started or ended already is left as it is.
  private void lose(int step) {
    // May follow a need that was met later: the sum is right, and nothing starts in between.
    states.addUnmet(step, 1);
  }

  private void releaseIfReady(int step) {
    if (releasing && states.state(step) == WorkflowStepState.WAITING && states.unmet(step) == 0) {
      PlannedTemplate template = templateOf(step);
      TemplateRow row = states.template(template.number());
      if (row.unmetTemplates == 0 && row.has(template, step)) {
        states.release(step);
        released.computeIfAbsent(template.number(), one -> new NumberList()).add(step);
      }
    }
  }

  /**
   * Carries out stored openings and those that arose in this round, as far as a round goes.
   *
   * @param most steps that they look at, roughly; at least 1
   * @return what is left of them, to be stored; stored ones keep their ids
   */
  List<StepOpening> open(Collection<StepOpening> before, int most) {
    // Those that arose now are short in a chain of steps; stored ones may be long.
    before.forEach(openings::addLast);
    List<StepOpening> left = new ArrayList<>();
    int touched = 0;
    while (!openings.isEmpty()) {
      StepOpening opening = openings.removeFirst();
      // A scan that arises is for a round that releases.
      if (touched >= most || (opening.kind() == OpeningKind.SCAN && opening.id() == 0)) {
        left.add(opening);
        continue;
      }
      Progress progress = carryOut(opening, most - touched);
      touched += progress.touched();
      if (!progress.finished()) {
        left.add(opening.at(progress.place()));
      }
    }
    return left;
  }

  /** How far an opening is. */
  private record Progress(int place, int touched, boolean finished) {}

  private Progress carryOut(StepOpening opening, int budget) {
    return switch (opening.kind()) {
      case START ->
          releaseRange(
              workflow.fixedSteps() + opening.progress(),
              workflow.steps(),
              workflow.fixedSteps(),
              -1,
              budget);
      case TEMPLATES_MET -> {
        PlannedTemplate planned = plan.templates().get(opening.target());
        TemplateRow row = states.template(opening.target());
        int from = planned.listed() ? row.firstStep : planned.first();
        int to = planned.listed() ? row.lastStep + 1 : planned.first() + row.steps;
        yield releaseRange(from + opening.progress(), to, from, opening.target(), budget);
      }
      case RETRY -> retryRange(opening.progress(), budget);
      case SCAN -> releaseRange(opening.progress(), workflow.steps(), 0, -1, budget);
      // Withdrawals have rounds of their own.
      case WITHDRAW -> new Progress(opening.progress(), 0, false);
      case WHOLE_TEMPLATE -> wholeTemplate(opening, this::meet, budget);
      case WHOLE_TEMPLATE_LOST -> wholeTemplate(opening, this::lose, budget);
      case ARGUMENT -> argument(opening, this::meet, budget);
      case ARGUMENT_LOST -> argument(opening, this::lose, budget);
      case EMPTY -> meetAll(opening, this::meet, budget);
      case EMPTY_LOST -> meetAll(opening, this::lose, budget);
    };
  }

  private Progress releaseRange(int from, int to, int base, int template, int budget) {
    int end = Math.min(to, from + Math.max(StepBlock.SIZE, budget));
    states.load(from, end);
    for (int step = from; step < end; step++) {
      if (template < 0 || templateOf(step).number() == template) {
        releaseIfReady(step);
      }
    }
    return new Progress(end - base, Math.max(0, end - from), end >= to);
  }

  private Progress retryRange(int from, int budget) {
    int end = Math.min(workflow.steps(), from + Math.max(StepBlock.SIZE, budget));
    states.load(from, end);
    for (int step = from; step < end; step++) {
      WorkflowStepState state = states.state(step);
      if (state == WorkflowStepState.FAILED || state == WorkflowStepState.CANCELLED) {
        waitAgain(step);
      }
      releaseIfReady(step);
    }
    if (end == workflow.steps() && !releasing) {
      // With failFast, nothing starts before the last failed step waits again.
      openings.add(StepOpening.of(OpeningKind.SCAN, 0, 0));
    }
    return new Progress(end, end - from, end == workflow.steps());
  }

  private Progress wholeTemplate(StepOpening opening, IntConsumer change, int budget) {
    int part = opening.progress();
    int touched = 0;
    while (touched < budget) {
      byte[] content = steps.ofTemplate(handle, workflow.id(), opening.target(), part).orElse(null);
      if (content == null) {
        return new Progress(part, touched, true);
      }
      int[] waiters = StepNumbers.unpack(content);
      states.load(waiters);
      for (int step : waiters) {
        change.accept(step);
      }
      touched += waiters.length;
      part++;
    }
    return new Progress(part, touched, false);
  }

  private Progress argument(StepOpening opening, IntConsumer change, int budget) {
    MatchingSteps waiters =
        plan.waiters(plan.relations().get(opening.target()), opening.combination());
    int end = Math.min(waiters.count(), opening.progress() + Math.max(1, budget));
    states.load(StepBlock.numbersOf(IntStream.range(opening.progress(), end).map(waiters::step)));
    for (int place = opening.progress(); place < end; place++) {
      change.accept(waiters.step(place));
    }
    return new Progress(end, end - opening.progress(), end >= waiters.count());
  }

  // Each step of the waiting template has one need of the relation.
  private Progress meetAll(StepOpening opening, IntConsumer change, int budget) {
    PlannedTemplate to = plan.templates().get(plan.relations().get(opening.target()).to());
    int end = Math.min(to.size(), opening.progress() + Math.max(1, budget));
    states.load(to.first() + opening.progress(), to.first() + end);
    for (int place = opening.progress(); place < end; place++) {
      change.accept(to.first() + place);
    }
    return new Progress(end, end - opening.progress(), end == to.size());
  }

  /** Writes all that has changed; returns the workflow's row as it is then. */
  WorkflowRow write() {
    counters.write();
    for (int from = 0; from < forgotten.size(); from += FORGOTTEN) {
      steps.deleteOutputs(
          handle,
          workflow.id(),
          forgotten.subList(from, Math.min(forgotten.size(), from + FORGOTTEN)));
    }
    return states.write();
  }

  /** Numbers in their order. Not thread-safe. */
  static final class NumberList {
    private int[] numbers = new int[16];
    private int size;

    void add(int number) {
      if (size == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * size);
      }
      numbers[size++] = number;
    }

    int[] numbers() {
      return numbers;
    }

    int size() {
      return size;
    }
  }
}
