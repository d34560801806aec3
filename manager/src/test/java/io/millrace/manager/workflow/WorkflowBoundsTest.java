package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.step;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.StepGraph;
import io.millrace.manager.graph.TemplateNeeds;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.graph.WorkflowPlan.SameValues;
import io.millrace.manager.job.ElementTexts;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A small request makes no large texts, comparisons or answers. */
final class WorkflowBoundsTest {
  private static final String LARGE = "v".repeat(WorkflowSpec.LONGEST_ARGUMENT);

  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  private static WorkflowSpec with(JobSpec job, String value) {
    return new WorkflowSpec(
        "w",
        Map.of("x", value),
        Map.of("s", template(job, Map.of())),
        null,
        false,
        null,
        0,
        null,
        null,
        null);
  }

  private void assertFailsWithoutJob(JobSpec job, String reason) {
    long id = bench.submit(with(job, LARGE));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    var step = bench.steps.details(id, 0);
    assertThat(step.step().state()).isEqualTo(WorkflowStepState.FAILED);
    assertThat(step.job()).isNull();
    assertThat(step.reasons()).singleElement().asString().contains(reason).hasSizeLessThan(300);
  }

  @Test
  void aStepWhoseWordWouldBeTooLongFailsWithoutAJob() {
    assertFailsWithoutJob(
        command("/bin/echo", "{workflow.x}".repeat(9_000)),
        "its command has a word that would have more than 131072 characters");
  }

  @Test
  void aStepWhoseVariableOrInputWouldBeTooLongFailsWithoutAJob() {
    assertFailsWithoutJob(
        JobDraft.command("/bin/echo").env(Map.of("V", "{workflow.x}".repeat(3))).spec(),
        "its variable V would have more than 131072 characters");
    assertFailsWithoutJob(
        JobDraft.command("/bin/cat").stdin("{workflow.x}".repeat(5)).spec(),
        "its stdin would have more than 262144 characters");
  }

  @Test
  void aStepWhoseTextsWouldBeTooLongTogetherFailsWithoutAJob() {
    assertFailsWithoutJob(
        command(Collections.nCopies(17, "{workflow.x}").toArray(String[]::new)),
        "the texts of its job would have more than 1048576 characters together");
  }

  @Test
  void textsAtTheirLimitsAreFilledIn() {
    long id = bench.submit(with(command("/bin/echo", "{workflow.x}{workflow.x}"), LARGE));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void theTextsOfElementsThatAreMadeAtOnceAreBounded() {
    String[] words = Collections.nCopies(15, "{workflow.x}").toArray(String[]::new);
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    // The first array could use up all texts, and keep the second one waiting.
    templates.put("large", template(command(words), Map.of("n", range("1-40"))));
    templates.put("small", template(command("/bin/echo"), Map.of("n", range("1-5"))));
    long id =
        bench.submit(
            new WorkflowSpec(
                "w", Map.of("x", LARGE), templates, null, false, null, 0, null, null, null));
    bench.drive();
    bench.jobs.place();

    assertThat(elements("/bin/echo")).isEqualTo(5);
    // Half of eight million characters is for them.
    assertThat(elements(LARGE)).isBetween(1L, 5L);
    assertThat(ElementTexts.MOST).isEqualTo(8L << 20);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  /** Elements that have a job whose command begins with that word. */
  private long elements(String word) {
    List<Long> ids =
        bench.jobs.database.read(
            handle ->
                handle
                    .createQuery("select id from job where array_id is not null")
                    .mapTo(Long.class)
                    .list());
    return ids.stream()
        .filter(job -> bench.jobs.queries.details(job).spec().command().get(0).equals(word))
        .count();
  }

  @Test
  void valuesOfArgumentsAreBounded() {
    assertThatThrownBy(() -> with(command("/bin/true"), LARGE + "v"))
        .isInstanceOf(MillraceException.class)
        .hasMessage("arguments.x: 65537 characters; use at most 65536");
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 17; i++) {
      many.put("x" + i, LARGE);
    }
    assertThatThrownBy(
            () ->
                new WorkflowSpec(
                    "w",
                    many,
                    Map.of("s", template(command("/bin/true"), Map.of())),
                    null,
                    false,
                    null,
                    0,
                    null,
                    null,
                    null))
        .hasMessage("arguments: 1114112 characters together; use at most 1048576");
    assertThatThrownBy(() -> ValueList.of(List.of("v".repeat(4097))))
        .hasMessage("each: a value has 4097 characters; use at most 4096");
  }

  @Test
  void valuesThatNoNodeReadsAreRefused() {
    long id = bench.submit(workflow(Map.of("s", template(command("/bin/true"), Map.of()))));
    assertRefused(
        id, Map.of("a", LARGE), "outputs of attempt 1 of job", "65537 characters; at most 65536");
    assertRefused(id, Map.of("a b", "1"), "'a b' is not the name of a value");
    bench.outputs = step -> Map.of("a", LARGE.substring(1));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  private void assertRefused(long id, Map<String, String> outputs, String... texts) {
    AttemptId attempt = new AttemptId(id, 1);
    assertThatThrownBy(
            () ->
                bench.jobs.reports.take(
                    JobBench.E1,
                    List.of(JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 1).withOutputs(outputs))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll(texts);
  }

  private static ValueList range(String text) {
    return new ValueList(null, ArrayRange.parse(text));
  }

  private static WorkflowPlan plan(ValueList from, ValueList to, StepNeed... needs) {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(command("/bin/a", "{x}"), Map.of("x", from)));
    templates.put("b", template(command("/bin/b", "{x}"), Map.of("x", to), needs));
    return WorkflowPlan.of(workflow(templates));
  }

  private static StepNeed byX() {
    return new StepNeed("a", null, List.of("x"));
  }

  @Test
  void aNeedThatIsGivenTwiceIsRefused() {
    ValueList list = range("1-3");
    assertThatThrownBy(() -> plan(list, list, byX(), byX()))
        .hasMessage("templates.b.needs[1]: the same need is given twice");
    assertThatThrownBy(() -> plan(list, list, StepNeed.all("a"), byX(), StepNeed.all("a")))
        .hasMessage("templates.b.needs[2]: the same need is given twice");
    assertThatThrownBy(() -> new StepNeed("a", null, List.of("x", "y", "x")))
        .hasMessage("needs: a: by: 'x' is given twice");
  }

  @Test
  void namesOfNeedsAreBounded() {
    assertThatThrownBy(() -> StepNeed.all("N".repeat(300_000)))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200))
        .hasMessageEndingWith("names have at most 60 characters");
    assertThatThrownBy(() -> new StepNeed("a", null, List.of("N".repeat(300_000))))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
  }

  @Test
  void rangesAreComparedByArithmetic() {
    WorkflowPlan plan = plan(range("10-100:10"), range("30-90:30"), byX());
    Relation relation = plan.relations().get(0);
    SameValues values = relation.values().get(0);
    assertThat(values.places()).isNull();
    assertThat(List.of(values.place(0), values.place(1), values.place(2))).containsExactly(2, 5, 8);
    // 10 to 100 are the places 0 to 9; steps of b begin at 10.
    for (int place = 0; place < 10; place++) {
      assertThat(plan.waiters(relation, place).count())
          .isEqualTo(List.of(2, 5, 8).contains(place) ? 1 : 0);
    }
    assertThat(plan.waiters(relation, 5).step(0)).isEqualTo(11);
    for (String other : List.of("20-50:15", "5-10:5", "90-110:10", "10-1000:10")) {
      assertThatThrownBy(() -> plan(range("10-100:10"), range(other), byX()))
          .hasMessageContaining("does not occur in template 'a'");
    }
    assertThat(plan(range("10-100:10"), range("50"), byX()).relations()).hasSize(1);
  }

  @Test
  void listsThatAreComparedHaveFiveMillionValuesTogether() {
    List<String> names = IntStream.range(0, 1_000).mapToObj(Integer::toString).toList();
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(command("/bin/a", "{x}"), Map.of("x", range("0-999"))));
    for (int i = 0; i < 2_501; i++) {
      templates.put("b" + i, template(command("/bin/b"), Map.of("x", ValueList.of(names)), byX()));
    }
    assertThatThrownBy(() -> WorkflowPlan.of(workflow(templates)))
        .hasMessageStartingWith("templates.b2500.needs: x: the lists that are compared have more");
  }

  @Test
  void moreNeedsThanStepsCanCountAreRefused() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    StepNeed[] needs = new StepNeed[TemplateNeeds.MAX_RELATIONS + 1];
    for (int i = 0; i < needs.length; i++) {
      templates.put("a" + i, template(command("/bin/a"), Map.of("x", range("1-2"))));
      needs[i] = new StepNeed("a" + i, NeedMatch.ELEMENT, null);
    }
    templates.put("b", template(command("/bin/b"), Map.of("x", range("1-2")), needs));
    assertThatThrownBy(() -> WorkflowPlan.of(workflow(templates)))
        .hasMessageStartingWith("templates.b.needs: more than 1000 by element or argument");
  }

  @Test
  void aPageOfStepsEndsWithAMillionCharacters() {
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      steps.add(step("s", LARGE.substring(10) + i));
    }
    long id = bench.submit(workflow(Map.of("s", listed(command("/bin/s")))), "", steps);
    bench.drive();
    List<Integer> seen = new ArrayList<>();
    int most = 0;
    Integer after = -1;
    while (after != null) {
      StepPage page = bench.steps.list(id, new StepFilter(null, null, after, 1_000));
      page.steps().forEach(one -> seen.add(one.step()));
      most = Math.max(most, page.steps().size());
      after = page.next();
    }
    assertThat(seen).hasSize(100).isSorted().doesNotHaveDuplicates();
    assertThat(most).isEqualTo(17);
    assertThatThrownBy(() -> bench.steps.needs(id))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("list the steps by pages");
  }

  @Test
  void labelsOfFailedStepsAreShortened() {
    Map<String, ValueList> each = Map.of("x", ValueList.of(List.of("v".repeat(4_000))));
    long id = bench.submit(workflow(Map.of("s", template(command("/bin/s"), each))));
    bench.run(id, run -> Outcome.FAILED);
    FailureGroups failures = bench.steps.failures(id);
    assertThat(failures.groups()).isNotEmpty();
    assertThat(failures.toString()).contains("s[vvv").hasSizeLessThan(3_000);
  }

  @Test
  void needsOfListedStepsAreCountedAndRefusedBeyondTheLimit() {
    WorkflowPlan plan = WorkflowPlan.of(workflow(Map.of("s", listed(command("/bin/s")))));
    StepGraph allowed = new StepGraph(plan, 3, 3);
    StepGraph refused = new StepGraph(plan, 3, 2);
    for (int[] needs : List.of(new int[0], new int[] {0}, new int[] {0, 1})) {
      StoredStep step = new StoredStep(0, needs, new int[0], "", Map.of());
      allowed.add(step);
      refused.add(step);
    }
    assertThat(allowed.finish(step -> "")).isEmpty();
    assertThat(refused.finish(step -> ""))
        .hasValueSatisfying(
            problem ->
                assertThat(problem)
                    .startsWith("its listed steps name 3 needs, and at most 2 are allowed"));
  }

  @Test
  void theIdentityOfASubmissionIsAHash() {
    WorkflowSpec workflow = workflow(Map.of("s", listed(command("/bin/s"))));
    for (String identity : List.of("z".repeat(5_000), "x/../y", "A".repeat(64), "")) {
      assertThatThrownBy(() -> new WorkflowSubmission(workflow, "", 1, identity))
          .isInstanceOfSatisfying(
              MillraceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
          .hasMessageStartingWith("identity must be 64 hexadecimal digits");
    }
    assertThat(new WorkflowSubmission(workflow, "", 1, "0a".repeat(32)).identity()).hasSize(64);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\0", "\u001b]0;title\u0007", "\n", "\u009b"})
  void controlCharactersAreRefusedInWhatIsShown(String control) {
    WorkflowSpec workflow = workflow(Map.of("s", listed(command("/bin/s"))));
    String named = "n" + control;
    assertThatThrownBy(() -> bench.submit(workflow, "1", List.of(listedStep(named, Map.of()))))
        .hasMessage("step 0: its name has control characters");
    assertThatThrownBy(
            () -> bench.submit(workflow, "2", List.of(listedStep("n", Map.of("x", named)))))
        .hasMessageStartingWith("step 0: an argument has control characters");
    assertThatThrownBy(
            () -> bench.submit(workflow, "3", List.of(listedStep("n", Map.of(named, "x")))))
        .hasMessageStartingWith("step 0: an argument has control characters");
    assertThatThrownBy(() -> ValueList.of(List.of(named)))
        .hasMessageStartingWith("each: a value has control characters");
    Map<String, ValueList> each = Map.of(named, range("1-2"));
    assertThatThrownBy(() -> bench.submit(workflow(Map.of("s", template(command("/bin/s"), each)))))
        .hasMessageStartingWith("templates.s.each: an argument's name must be");
  }

  private static ListedStep listedStep(String name, Map<String, String> arguments) {
    return new ListedStep(name, "s", arguments, null, null);
  }

  @Test
  void aStepWithANulCharacterFromAValueFailsWithoutAJob() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("g", template(command("/bin/g"), Map.of()));
    templates.put("u", template(command("/bin/u", "{g.v}"), Map.of(), StepNeed.all("g")));
    bench.outputs = step -> step == 0 ? Map.of("v", "a\0b") : null;
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(bench.steps.details(id, 1).reasons())
        .singleElement()
        .asString()
        .startsWith("its command would have a NUL character");
  }
}
