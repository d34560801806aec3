package io.millrace.manager.workflow;

import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.Successors;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.MatchingSteps;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.workflow.ReleaseRound.NumberList;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * All steps below some steps: those that need them, those that need those, and so on. It follows
 * from the graph alone, not from states. Keeps a bit for each step and, as they are stored, the
 * lists of successors that it has read. One thread; blocks on the database.
 */
final class StepDependents {
  private static final int BLOCKS = 256;
  private static final int[][] NO_LISTS = {};
  private static final int[] NONE = {};

  private final Handle handle;
  private final WorkflowRow workflow;
  private final WorkflowPlan plan;
  private final StepDao steps = new StepDao();
  private final BitSet found;
  private final Set<Integer> whole = new HashSet<>();
  private final Map<Integer, BitSet> combinations = new HashMap<>();
  private final Map<Integer, byte[]> stored = new HashMap<>();
  private final Map<Integer, StepBlock> blocks = new HashMap<>();
  private final Set<Integer> read = new HashSet<>();
  private NumberList frontier = new NumberList();
  // The lists of the block that was looked at last: neighbours follow one another.
  private int decodedBlock = -1;
  private int[][] decoded = NO_LISTS;

  StepDependents(Handle handle, WorkflowRow workflow, WorkflowPlan plan) {
    this.handle = handle;
    this.workflow = workflow;
    this.plan = plan;
    this.found = new BitSet(workflow.steps());
  }

  /** These steps and all below them. */
  BitSet of(BitSet seeds) {
    seeds.stream().forEach(this::reach);
    while (frontier.size() > 0) {
      NumberList wave = frontier;
      frontier = new NumberList();
      read(wave);
      for (int i = 0; i < wave.size(); i++) {
        follow(wave.numbers()[i]);
      }
    }
    return found;
  }

  private void reach(int step) {
    if (!found.get(step)) {
      found.set(step);
      frontier.add(step);
    }
  }

  private void follow(int step) {
    PlannedTemplate template = plan.templates().get(template(step));
    if (whole.add(template.number())) {
      template.neededAll().forEach(this::reachAll);
      joined(template.number());
    }
    for (Relation relation : template.before()) {
      if (relation.match() == NeedMatch.ELEMENT) {
        reach(plan.templates().get(relation.to()).first() + step - template.first());
      } else {
        combined(relation, plan.combination(relation, step));
      }
    }
    for (int next : successors(step)) {
      reach(next);
    }
  }

  private int template(int step) {
    return step < workflow.fixedSteps()
        ? plan.ofFixed(step).number()
        : blocks.get(StepBlock.of(step)).template(step);
  }

  private void reachAll(int number) {
    PlannedTemplate template = plan.templates().get(number);
    if (!template.listed()) {
      for (int step = template.first(); step < template.first() + template.size(); step++) {
        reach(step);
      }
      return;
    }
    int last = StepBlock.of(workflow.steps() - 1);
    for (int from = StepBlock.of(workflow.fixedSteps()); from <= last; from += BLOCKS) {
      steps
          .blocks(handle, workflow.id(), from, from + BLOCKS - 1)
          .forEach((at, content) -> reachListed(at, content, number));
    }
  }

  private void reachListed(int block, StepBlock content, int template) {
    int from = Math.max(workflow.fixedSteps(), block * StepBlock.SIZE);
    int to = Math.min(workflow.steps(), (block + 1) * StepBlock.SIZE);
    for (int step = from; step < to; step++) {
      if (content.template(step) == template) {
        reach(step);
      }
    }
  }

  private void joined(int template) {
    if (workflow.listedSteps() == 0) {
      return;
    }
    byte[] content = steps.ofTemplate(handle, workflow.id(), template, 0).orElse(null);
    for (int part = 1; content != null; part++) {
      for (int step : StepNumbers.unpack(content)) {
        reach(step);
      }
      content = steps.ofTemplate(handle, workflow.id(), template, part).orElse(null);
    }
  }

  private void combined(Relation relation, int combination) {
    BitSet seen = combinations.computeIfAbsent(relation.number(), one -> new BitSet());
    if (seen.get(combination)) {
      return;
    }
    seen.set(combination);
    MatchingSteps waiters = plan.waiters(relation, combination);
    for (int place = 0; place < waiters.count(); place++) {
      reach(waiters.step(place));
    }
  }

  private int[] successors(int step) {
    int block = StepBlock.of(step);
    if (block != decodedBlock) {
      byte[] content = stored.get(block);
      decoded = content == null ? NO_LISTS : Successors.decode(content);
      decodedBlock = block;
    }
    return decoded.length == 0 ? NONE : decoded[step % StepBlock.SIZE];
  }

  // What has to be known of the steps of a wave, each block once.
  private void read(NumberList wave) {
    if (workflow.listedSteps() == 0) {
      return;
    }
    List<Integer> missing =
        StepBlock.numbersOf(IntStream.of(wave.numbers()).limit(wave.size())).stream()
            .filter(read::add)
            .toList();
    for (int from = 0; from < missing.size(); from += BLOCKS) {
      List<Integer> some = missing.subList(from, Math.min(missing.size(), from + BLOCKS));
      stored.putAll(steps.successors(handle, workflow.id(), some));
      blocks.putAll(steps.blocks(handle, workflow.id(), some));
    }
  }
}
