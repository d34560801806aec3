package io.millrace.api.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkflowGraphTest {
  private final WorkflowGraph graph = new WorkflowGraph("nightly");

  @Test
  void stepsMadeByListsHaveTheLowestNumbersAndListedOnesFollow() {
    TemplateDraft fetch = graph.template("fetch", job("{day}", "{part}"));
    fetch.each("day", "mon", "tue").each("part", "1", "2", "3");
    TemplateDraft sum = graph.template("sum", job("{region}"));
    graph.template("report", job("done"));
    StepHandle north = graph.step("north", sum, Map.of("region", "n")).needs(fetch.element(4));
    graph.step(null, sum, Map.of("region", "s")).needs(north).needs(north).needs(fetch);

    StepChunk chunk = graph.chunk(0);

    assertThat(chunk.first()).isEqualTo(7);
    assertThat(chunk.steps())
        .containsExactly(
            new ListedStep("north", "sum", Map.of("region", "n"), List.of(4), List.of()),
            new ListedStep(null, "sum", Map.of("region", "s"), List.of(7), List.of("fetch")));
    assertThat(graph.sizes())
        .containsExactly(entry("fetch", 6), entry("sum", 2), entry("report", 1));
    assertThat(graph.size()).isEqualTo(9);
  }

  @Test
  void aStepMayNeedOneThatIsListedAfterIt() {
    TemplateDraft sum = graph.template("sum", job("{region}"));
    StepHandle first = graph.step("a", sum, Map.of("region", "a"));
    StepHandle second = graph.step("b", sum, Map.of("region", "b"));
    first.needs(second);

    assertThat(graph.chunk(0).steps().get(0).needs()).containsExactly(1);
    assertThat(graph.step("b")).isPresent();
    assertThat(graph.step("c")).isEmpty();
  }

  @Test
  void aTemplateWithoutListsHasOneStepUnlessItsStepsAreListed() {
    graph.template("one", job("x"));
    TemplateDraft several = graph.template("several", job("{n}"));
    graph.step(null, several, Map.of("n", "1"));

    WorkflowSpec spec = graph.prepare();

    assertThat(spec.templates().get("one").listed()).isFalse();
    assertThat(spec.templates().get("several").listed()).isTrue();
    assertThat(graph.sizes()).containsExactly(entry("one", 1), entry("several", 1));
  }

  @Test
  void theChunksHoldAllStepsInOrder() {
    TemplateDraft sum = graph.template("sum", job("{n}", "{text}"));
    StepHandle before = null;
    for (int i = 0; i < 2_500; i++) {
      StepHandle step = graph.step("s" + i, sum, Map.of("n", "" + i, "text", "é{" + i));
      if (before != null) {
        step.needs(before);
      }
      before = step;
    }

    List<ListedStep> sent = new ArrayList<>();
    while (sent.size() < graph.listedSteps()) {
      StepChunk chunk = graph.chunk(sent.size());
      assertThat(chunk.first()).isEqualTo(sent.size());
      sent.addAll(chunk.steps());
    }

    assertThat(sent).hasSize(2_500);
    for (int i = 1; i < sent.size(); i++) {
      assertThat(sent.get(i))
          .isEqualTo(
              new ListedStep(
                  "s" + i,
                  "sum",
                  Map.of("n", "" + i, "text", "é{" + i),
                  List.of(i - 1),
                  List.of()));
    }
  }

  @Test
  void theIdentityIsThatOfTheStepsAsTheyAreSent() {
    TemplateDraft sum = graph.template("sum", job("{n}"));
    for (int i = 0; i < 2_000; i++) {
      graph.step(null, sum, Map.of("n", "" + i));
    }

    WorkflowSubmission submission = graph.submission("monday");
    WorkflowIdentity received = new WorkflowIdentity(submission.workflow(), "monday");
    graph.chunk(0).steps().forEach(received::add);
    graph.chunk(StepChunk.MAX).steps().forEach(received::add);

    assertThat(submission.listedSteps()).isEqualTo(2_000);
    assertThat(submission.identity()).isEqualTo(received.hash());
    assertThat(submission.identity()).isNotEqualTo(graph.identity("tuesday"));
  }

  @Test
  void theSubmissionIsReadAsItWasWritten() {
    TemplateDraft fetch = graph.template("fetch", job("{day}")).each("day", "mon", "tue");
    graph.template("load", job("{day}")).each("day", "mon", "tue").needsElements(fetch);
    graph.template("sum", job("{day}")).each("day", "mon").needsEqual(fetch, "day").maxRunning(3);
    graph.argument("night", "1").failFast().maxRunning(5);
    graph.step("x", graph.template("list", job("a")).needs(fetch), Map.of());

    WorkflowSubmission submission = graph.submission("k");

    assertThat(Json.read(Json.writeBytes(submission), WorkflowSubmission.class))
        .isEqualTo(submission);
    assertThat(submission.workflow().templates().get("sum").needs())
        .containsExactly(new StepNeed("fetch", NeedMatch.ARGUMENT, List.of("day")));
    assertThat(WorkflowGraph.of(submission.workflow()).prepare()).isEqualTo(submission.workflow());
  }

  @Test
  void argumentsThatNothingFillsAreRefused() {
    graph.argument("night", "1");
    graph
        .template("fetch", job("{dya}", "{workflow.night}", "{workflow.day}", "{{x}}"))
        .each("day", "mon");

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem(
                "templates.fetch.job",
                "no argument fills {dya}; add dya to each, or write {{dya}} for the text in"
                    + " braces"),
            new GraphProblem(
                "templates.fetch.job",
                "{workflow.day}: the workflow has no argument day; add it to arguments"));
  }

  @Test
  void placeholdersInEnvironmentAndStandardInputCount() {
    graph.template(
        "fetch", JobDraft.command("fetch").env(Map.of("DAY", "{day}")).stdin("{part}").spec());

    assertThat(graph.problems()).extracting(GraphProblem::text).hasSize(2);
  }

  @Test
  void listedStepsHaveJustTheArgumentsOfTheirTemplate() {
    TemplateDraft sum = graph.template("sum", job("{region}", "{year}"));
    graph.step("a", sum, Map.of("region", "n", "yaer", "2026"));
    graph.step("b", sum, Map.of("region", "s", "yaer", "2026"));
    graph.step("c", sum, Map.of("region", "s", "year", "2026"));

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem(
                "steps[0].arguments",
                "year is missing, which template sum uses; for the text in braces, write {{year}}"
                    + " in its job"),
            new GraphProblem(
                "steps[0].arguments", "template sum does not use yaer; it uses region, year"));
  }

  @Test
  void anArgumentThatANeedComparesIsUsed() {
    TemplateDraft fetch = graph.template("fetch", job("{day}")).each("day", "mon", "tue");
    TemplateDraft sum = graph.template("sum", job("sum")).needsEqual(fetch, "day");
    graph.step(null, sum, Map.of("day", "mon"));
    graph.step(null, sum, Map.of("day", "tue"));
    assertThat(graph.problems()).isEmpty();

    graph.step(null, sum, Map.of());
    assertThat(graph.problems())
        .extracting(GraphProblem::path)
        .containsExactly("steps[2].arguments");
  }

  @Test
  void stepsThatOccurTwiceAreRefused() {
    TemplateDraft sum = graph.template("sum", job("{region}"));
    graph.step("a", sum, Map.of("region", "n"));
    graph.step("a", sum, Map.of("region", "s"));
    graph.step("b", sum, Map.of("region", "n"));
    graph.step("sum", sum, Map.of("region", "w"));

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem("steps[1].name", "steps[0] has the same name, 'a'"),
            new GraphProblem(
                "steps[3].name", "'sum' is the name of a template; choose another one"),
            new GraphProblem(
                "steps[2]",
                "two steps of template sum have the same arguments; the first is steps[0]"));
  }

  @Test
  void needsThatCannotBeMetAreRefused() {
    TemplateDraft fetch = graph.template("fetch", job("{day}")).each("day", "mon", "tue");
    TemplateDraft sum = graph.template("sum", job("{part}")).each("part", "1", "2", "3");
    sum.needsElements(fetch).needsEqual(fetch, "day").needs(fetch).needs(fetch).needs(sum);

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem(
                "templates.sum.needs[0]",
                "match: element requires equally many steps; sum has 3 and fetch has 2"),
            new GraphProblem("templates.sum.needs[1]", "by: sum has no argument day in its each"),
            new GraphProblem("templates.sum.needs[3]", "the same need is given twice"),
            new GraphProblem("templates.sum.needs[4]", "the template needs itself"));
  }

  @Test
  void aStepOfATemplateWithListsOrThatNeedsItselfIsRefused() {
    TemplateDraft fetch = graph.template("fetch", job("{day}")).each("day", "mon");
    StepHandle step = graph.step("a", fetch, Map.of("day", "tue"));
    step.needs(step);

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem("steps[0].needs", "the step needs itself"),
            new GraphProblem(
                "steps[0].template",
                "the steps of fetch are made by its each; remove each, or this step"));
  }

  @Test
  void aStepOfAnUnknownTemplateIsRefusedAndTheOthersAreStillChecked() {
    graph.template("sum", job("{n}"));
    graph.step("a", "smu", Map.of());
    graph.step("b", "smu", Map.of());
    graph.step("c", "sum", Map.of());

    assertThat(graph.problems())
        .extracting(GraphProblem::toString)
        .containsExactly(
            "steps[0].template: there is no template 'smu'; there are sum",
            "steps[1].template: there is no template 'smu'; there are sum",
            "steps[2].arguments: n is missing, which template sum uses; for the text in braces,"
                + " write {{n}} in its job");
  }

  @Test
  void aStepAtAPositionOfATemplateWhoseStepsAreListedIsRefused() {
    TemplateDraft one = graph.template("one", job("{n}"));
    TemplateDraft other = graph.template("other", job("x"));
    StepHandle made = one.element(0);
    graph.step("a", other, Map.of()).needs(made);
    graph.step("b", one, Map.of("n", "1"));

    assertThat(graph.problems()).extracting(GraphProblem::path).containsExactly("templates.one");
    assertThatThrownBy(() -> other.element(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> made.needs(other)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatServersRefuseOfAStepIsFoundBeforeItIsSent() {
    TemplateDraft sum = graph.template("sum", job("{a}", "{b}"));
    graph.step("n".repeat(200), sum, Map.of("a", "v".repeat(65_533), "b", "1"));
    graph.step("n".repeat(201), sum, Map.of("a", "2", "b", "1"));
    graph.step("\u001b[2J", sum, Map.of("a", "3", "b", "1"));
    graph.step(" ", sum, Map.of("a", "4", "b", "1"));
    graph.step("a", sum, Map.of("a", "v".repeat(40_000), "b", "v".repeat(40_000)));
    graph.step("b", sum, Map.of("a", "5\n", "b", "1"));

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem("steps[1].name", "its name is longer than 200 characters"),
            new GraphProblem("steps[2].name", "its name has control characters"),
            new GraphProblem("steps[3].name", "a name must not be blank"),
            new GraphProblem(
                "steps[4].arguments", "its arguments are longer than 65536 characters"),
            new GraphProblem(
                "steps[5].arguments",
                "an argument has control characters; let the step read it from a file"));
  }

  @Test
  void namesOfArgumentsHaveNoControlCharacters() {
    TemplateDraft one = graph.template("one", job("x"));
    TemplateDraft other = graph.template("other", job("y")).needsEqual(one, "k\n");
    graph.step(null, one, Map.of("k\n", "1"));
    graph.step(null, other, Map.of("k\n", "1"));

    assertThat(graph.problems())
        .extracting(GraphProblem::path)
        .containsExactly("steps[0].arguments", "steps[1].arguments");
  }

  @Test
  void needsThatNoServerStoresAreFoundBeforeTheyAreSent() {
    TemplateDraft all = graph.template("all", job("{n}"));
    all.each("n", ValueList.of(List.of("1", "2")));
    TemplateDraft sum = graph.template("sum", job("{n}"));
    List<StepHandle> many = new ArrayList<>();
    for (int i = 0; i < ListedStepRule.MAX_NEEDS; i++) {
      many.add(graph.step(null, sum, Map.of("n", "" + i)));
    }
    StepHandle most = graph.step("most", sum, Map.of("n", "most"));
    many.forEach(most::needs);
    assertThat(graph.problems()).isEmpty();

    most.needs(all);
    graph.step("own", sum, Map.of("n", "own")).needs(sum);

    assertThat(graph.problems())
        .extracting(GraphProblem::toString)
        .containsExactly(
            "steps[65534].needs: it needs more than 65534 steps; put them under a separate template and need that as a whole",
            "steps[65535].needs: it cannot need all steps of the template that it belongs to");
  }

  @Test
  void aStepThatWasTakenBeforeItsTemplateGotItsListFromAStepIsNotNeeded() {
    TemplateDraft list = graph.template("list", job("x"));
    TemplateDraft each = graph.template("each", job("{n}"));
    StepHandle taken = each.element(0);
    each.eachOf("n", list, "names", 5);
    graph.step(null, graph.template("last", job("y")), Map.of()).needs(taken);

    assertThat(graph.problems())
        .containsExactly(
            new GraphProblem(
                "steps[0].needs",
                "it needs step 1, but the steps of 'each' are known only when its list was given; need the template as a whole"));
  }

  @Test
  void allProblemsAreToldTogetherUpToALimit() {
    TemplateDraft sum = graph.template("sum", job("{n}"));
    for (int i = 0; i < 500; i++) {
      graph.step("same", sum, Map.of("n", "" + i));
    }

    assertThat(graph.problems()).hasSize(100);
    assertThatThrownBy(graph::prepare)
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION);
              assertThat(e.getMessage().lines()).hasSize(21);
              assertThat(e).hasMessageEndingWith("and 80 more problems");
            });
  }

  @Test
  void aPreparedGraphDoesNotChange() {
    TemplateDraft one = graph.template("one", job("x"));
    graph.prepare();

    assertThatThrownBy(() -> one.maxRunning(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> graph.step("a", one, Map.of()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void handlesOfAnotherGraphAreRefused() {
    TemplateDraft foreign = new WorkflowGraph("other").template("one", job("x"));

    assertThatThrownBy(() -> graph.step("a", foreign, Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static JobSpec job(String... arguments) {
    List<String> argv = new ArrayList<>(List.of("run"));
    argv.addAll(List.of(arguments));
    return JobDraft.command(argv).spec();
  }

  private static Map.Entry<String, Integer> entry(String name, int steps) {
    return Map.entry(name, steps);
  }
}
