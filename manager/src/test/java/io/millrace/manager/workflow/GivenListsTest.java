package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.TemplateGraph.TemplateEdge;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Templates that take their list from what a step gives. */
final class GivenListsTest {
  private final WorkflowBench bench = new WorkflowBench(16);
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();
  private final Map<Integer, String> ran = new TreeMap<>();

  @AfterEach
  void close() {
    bench.close();
  }

  private static ValueList from(int max) {
    return ValueList.of(new ListSource("list.files", max));
  }

  private static ValueList values(String... values) {
    return ValueList.of(List.of(values));
  }

  private void list() {
    templates.put("list", template(command("/bin/list"), Map.of()));
  }

  private void convert(int max) {
    templates.put(
        "convert",
        template(
            command("/bin/convert", "{file}"), Map.of("file", from(max)), StepNeed.all("list")));
  }

  private void report() {
    templates.put("report", template(command("/bin/report"), Map.of(), StepNeed.all("convert")));
  }

  private void gives(String files) {
    bench.outputs = step -> step == 0 ? Map.of("files", files) : null;
  }

  private WorkflowView run(long id) {
    return bench.run(
        id,
        run -> {
          ran.put(run.step(), String.join(" ", run.command()));
          return Outcome.SUCCEEDED;
        });
  }

  private TemplateView view(long id, String template) {
    return bench.views.details(id).templates().stream()
        .filter(one -> one.name().equals(template))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aStepIsMadeForEachValueThatTheStepGave() {
    list();
    convert(5);
    report();
    gives("a.raw, b c.raw,d.raw,");
    long id = bench.submit(workflow(templates));
    assertThat(bench.views.view(id).progress().steps()).as("steps that are known").isEqualTo(2);
    assertThat(view(id, "convert").awaits().template()).isEqualTo("list");
    WorkflowView end = run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().steps()).isEqualTo(5);
    assertThat(end.progress().waiting()).isZero();
    assertThat(ran)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                0, "/bin/list",
                1, "/bin/convert a.raw",
                2, "/bin/convert b c.raw",
                3, "/bin/convert d.raw",
                6, "/bin/report"));
    assertThat(bench.ended).last().isEqualTo(6);
    assertThat(view(id, "convert").awaits()).isNull();
    assertThat(view(id, "convert").progress().steps()).isEqualTo(3);
  }

  @Test
  void onlyStepsThatExistAreShown() {
    list();
    convert(1000);
    report();
    gives("[\"a,b\", 1.10]");
    long id = bench.submit(workflow(templates));
    assertThatThrownBy(() -> bench.steps.details(id, 1))
        .hasMessageContaining("known once 'list' has given their list");
    for (String unknown : List.of("convert[a,b]", "convert")) {
      assertThatThrownBy(() -> bench.steps.details(id, unknown))
          .hasMessage("the steps of 'convert' are known once 'list' has given their list");
    }
    assertThat(bench.steps.details(id, "report").reasons())
        .contains("needs all steps of 'convert', which are known once 'list' has given their list");
    run(id);
    List<StepView> steps = bench.steps.list(id, new StepFilter(null, null, -1, 100)).steps();
    assertThat(steps.stream().map(StepView::step)).containsExactly(0, 1, 2, 1001);
    assertThat(steps.get(1).arguments()).containsEntry("file", "a,b");
    assertThat(bench.steps.list(id, new StepFilter("convert", null, -1, 100)).steps()).hasSize(2);
    assertThat(bench.steps.details(id, "convert[1.10]").step().step()).isEqualTo(2);
    assertThatThrownBy(() -> bench.steps.details(id, 3)).hasMessageContaining("the numbers 1 to 2");
    assertThat(bench.views.graph(id).edges())
        .contains(
            new TemplateEdge(
                "list", "convert", io.millrace.api.workflow.TemplateGraph.EdgeKind.ALL, 2));
    assertThat(bench.paths.of(id, null).unmeasured()).isZero();
    assertThat(bench.paths.of(id, null).links())
        .allSatisfy(l -> assertThat(l.step()).isNotEqualTo(3));
    assertThat(bench.timelines.of(id).templates()).hasSize(3);
  }

  @Test
  void productsPositionsAndEqualArgumentsOfAGivenListAreFollowed() {
    list();
    Map<String, ValueList> each = new LinkedHashMap<>();
    each.put("file", from(10));
    each.put("size", values("s", "m"));
    templates.put(
        "scale", template(command("/bin/scale", "{file}", "{size}"), each, StepNeed.all("list")));
    templates.put(
        "check",
        template(
            command("/bin/check", "{file}", "{size}"),
            each,
            StepNeed.all("list"),
            new StepNeed("scale", NeedMatch.ELEMENT, null)));
    templates.put(
        "pack",
        template(
            command("/bin/pack", "{file}"),
            Map.of("file", from(10)),
            StepNeed.all("list"),
            new StepNeed("scale", null, List.of("file"))));
    templates.put(
        "sum",
        template(
            command("/bin/sum", "{size}"),
            Map.of("size", values("m", "s")),
            new StepNeed("scale", null, List.of("size"))));
    gives("x,y,z");
    long id = bench.submit(workflow(templates));
    WorkflowView end = run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().steps()).isEqualTo(1 + 6 + 6 + 3 + 2);
    assertThat(ran)
        .containsEntry(1, "/bin/scale x s")
        .containsEntry(6, "/bin/scale z m")
        .containsEntry(26, "/bin/check z m")
        .containsEntry(43, "/bin/pack z")
        .containsEntry(51, "/bin/sum m");
    List<Integer> order = bench.ended;
    assertThat(order.indexOf(26)).isGreaterThan(order.indexOf(6));
    assertThat(order.indexOf(43)).isGreaterThan(Math.max(order.indexOf(5), order.indexOf(6)));
    assertThat(order.indexOf(51))
        .isGreaterThan(Math.max(order.indexOf(2), Math.max(order.indexOf(4), order.indexOf(6))));
  }

  @Test
  void anEmptyListLetsWhatFollowsGoOnOnceAllOtherNeedsAreMet() {
    templates.put("slow", template(command("/bin/slow"), Map.of()));
    templates.put("list", template(command("/bin/list"), Map.of()));
    Map<String, ValueList> each = new LinkedHashMap<>();
    each.put("file", from(10));
    each.put("size", values("s", "m"));
    templates.put(
        "convert",
        template(
            command("/bin/convert", "{file}"), each, StepNeed.all("list"), StepNeed.all("slow")));
    templates.put(
        "again",
        template(
            command("/bin/again"),
            each,
            StepNeed.all("list"),
            new StepNeed("convert", NeedMatch.ELEMENT, null)));
    templates.put(
        "sum",
        template(
            command("/bin/sum", "{size}"),
            Map.of("size", values("m", "s")),
            new StepNeed("convert", null, List.of("size"))));
    templates.put("report", template(command("/bin/report"), Map.of(), StepNeed.all("again")));
    bench.outputs = step -> step == 1 ? Map.of("files", "") : null;
    long id = bench.submit(workflow(templates));
    for (int round = 0; round < 5; round++) {
      bench.round(run -> run.step() == 0 ? null : Outcome.SUCCEEDED);
    }
    assertThat(bench.ended).as("what ran while 'slow' runs").containsExactly(1);
    WorkflowView end = run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().steps()).isEqualTo(5);
    assertThat(bench.ended).startsWith(1, 0).hasSize(5);
    assertThatThrownBy(() -> bench.steps.details(id, 2)).hasMessageContaining("is empty");
  }

  @Test
  void listedStepsWaitForAWholeTemplateWithAGivenList() {
    list();
    convert(4);
    templates.put("s", WorkflowBench.listed(command("/bin/s", "{x}")));
    gives("a,b");
    List<ListedStep> steps =
        List.of(new ListedStep(null, "s", Map.of("x", "1"), List.of(), List.of("convert")));
    long id = bench.submit(workflow(templates), "", steps);
    assertThat(run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(4).last().isEqualTo(5);
  }

  @Test
  void theOnlyListedStepOfATemplateMayGiveTheList() {
    templates.put("list", WorkflowBench.listed(command("/bin/list", "{x}")));
    convert(4);
    bench.outputs = step -> step == 4 ? Map.of("files", "a,b") : null;
    long id =
        bench.submit(
            workflow(templates),
            "",
            List.of(new ListedStep(null, "list", Map.of("x", "1"), null, null)));
    assertThat(run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(4, 0, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a,b,a|the value 'a' occurs twice",
        "a,,b|a value is empty",
        "a,b,c,d|it has 4 values, and at most 3 are allowed",
        "[\"a\"|not one JSON array",
        "[[1]]|not one JSON array of texts and numbers",
        "[\"a\\nb\"]|control characters"
      })
  void aStepThatGivesNoSuchListFailsAndSaysWhy(String files, String reason) {
    list();
    convert(3);
    report();
    gives(files);
    long id = bench.submit(workflow(templates));
    WorkflowView end = run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.reason())
        .startsWith(
            "0 of 2 steps succeeded, 1 failed, 1 never started; 'list' gives no list 'files'")
        .contains(reason);
    assertThat(bench.steps.details(id, 0).reasons()).singleElement().asString().contains(reason);
    assertThat(view(id, "convert").awaits().problem()).contains(reason);
  }

  @Test
  void aListThatWasNotGivenIsGivenWhenTheStepIsTriedAgain() {
    list();
    convert(3);
    report();
    long id = bench.submit(workflow(templates));
    assertThat(run(id).reason()).contains("it wrote no such value to MILLRACE_OUTPUT");
    gives("a,b");
    bench.resets.retry(id, null, false, "ann");
    WorkflowView end = run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().steps()).isEqualTo(4);
    assertThat(bench.ended).containsExactly(0, 0, 1, 2, 4);
  }

  @Test
  void stepsOfAGivenListThatFailAreTriedAgainAndNoOthersAreMade() {
    list();
    convert(300);
    report();
    gives("a,b,c");
    long id = bench.submit(workflow(templates));
    WorkflowView failed =
        bench.run(id, run -> run.step() == 2 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(failed.reason()).isEqualTo("3 of 5 steps succeeded, 1 failed, 1 never started");
    bench.resets.retry(id, null, false, "ann");
    assertThat(run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(0, 1, 3, 2, 301);
  }

  @Test
  void numbersThatNoValueStandsForCanNeitherBeDeclaredNorReset() {
    list();
    convert(10);
    report();
    gives("x,y");
    long id = bench.submit(workflow(templates));
    bench.run(id, run -> run.step() == 1 ? Outcome.FAILED : Outcome.SUCCEEDED);
    StatusChange declared = new StatusChange(List.of("7"), "succeeded", "by hand");
    assertThatThrownBy(() -> bench.status.set(id, declared, "ann"))
        .asInstanceOf(type(MillraceException.class))
        .returns(ErrorCode.UNKNOWN_STEP, MillraceException::code)
        .extracting(Throwable::getMessage, STRING)
        .contains("the steps of 'convert' have the numbers 1 to 2");
    StepReset reset = new StepReset(List.of("3"), null, false, false);
    assertThatThrownBy(() -> bench.resets.reset(id, reset, "ann"))
        .hasMessageContaining("the steps of 'convert' have the numbers 1 to 2");
    bench.resets.retry(id, null, false, "ann");
    bench.ended.clear();
    WorkflowView end = bench.run(id, run -> run.step() == 1 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(bench.ended).as("report waits for both steps of convert").isEmpty();
    assertThat(end.progress().succeeded()).isEqualTo(2);
    bench.resets.reset(id, new StepReset(List.of(), "convert", false, false), "ann");
    assertThat(bench.steps.needs(id).steps()).hasSize(4);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void stepsOfAnUnknownListCanNotBeDeclared() {
    list();
    convert(10);
    gives("x,y");
    long id = bench.submit(workflow(templates));
    bench.round(run -> null);
    StatusChange declared = new StatusChange(List.of("3"), "succeeded", "by hand");
    assertThatThrownBy(() -> bench.status.set(id, declared, "ann"))
        .hasMessageContaining("known once 'list' has given their list");
    WorkflowView end = bench.run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().succeeded()).isEqualTo(3);
  }

  @Test
  void aStepThatGaveNoListCanNotBeDeclaredToHaveSucceeded() {
    list();
    convert(10);
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    StatusChange declared = new StatusChange(List.of("list"), "succeeded", "by hand");
    assertThatThrownBy(() -> bench.status.set(id, declared, "ann"))
        .asInstanceOf(type(MillraceException.class))
        .returns(ErrorCode.CONFLICT, MillraceException::code)
        .extracting(Throwable::getMessage, STRING)
        .contains("template 'convert' takes its list 'files' from step 0, which has given none");
    gives("x,y");
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void theListBeforeCountsIfItsStepIsDeclaredToHaveSucceeded() {
    list();
    convert(10);
    report();
    gives("x,y");
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    bench.resets.reset(id, new StepReset(List.of("list"), null, true, false), "ann");
    bench.outputs = step -> null;
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    bench.status.set(id, new StatusChange(List.of("list"), "succeeded", "by hand"), "ann");
    bench.drive();
    bench.resets.retry(id, null, false, "ann");
    WorkflowView end = run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(ran.values())
        .containsExactlyInAnyOrder("/bin/convert x", "/bin/convert y", "/bin/report");
  }

  @Test
  void aListThatDiffersFromTheOneWithWhichStepsHaveRunIsRefused() {
    list();
    convert(10);
    report();
    gives("x,y");
    long id = bench.submit(workflow(templates));
    bench.run(id, run -> run.step() == 2 ? Outcome.FAILED : Outcome.SUCCEEDED);
    for (String other : List.of("x,z", "x", "x,y,z", "y,x", "[]")) {
      gives(other);
      bench.resets.reset(id, new StepReset(List.of("list"), null, false, false), "ann");
      WorkflowView refused = run(id);
      assertThat(refused.state()).as(other).isEqualTo(WorkflowState.FAILED);
      assertThat(refused.reason())
          .as(other)
          .contains("gives a list 'files' that differs from the one before");
    }
    gives("x,y");
    bench.resets.retry(id, null, false, "ann");
    assertThat(run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(ran.values())
        .containsExactlyInAnyOrder("/bin/list", "/bin/convert y", "/bin/report");
  }

  @Test
  void elementsOfEarlierRunsAreShownAfterTheListBecameShorter() {
    bench.silent = true;
    list();
    convert(10);
    gives("x,y,z");
    long id = bench.submit(workflow(templates));
    bench.run(id);
    long third = bench.steps.details(id, "convert[z]").job();
    assertThat(bench.jobs.queries.details(third).spec().command())
        .containsExactly("/bin/convert", "z");
    gives("x");
    bench.resets.reset(id, new StepReset(List.of("list"), null, true, false), "ann");
    assertThat(bench.run(id).progress().succeeded()).isEqualTo(2);
    assertThat(bench.jobs.queries.details(third).spec().command()).contains("/bin/convert");
  }

  @Test
  void theValuesAreNoPartOfTheIdentityAndTheirNumberIs() {
    list();
    convert(3);
    String identity = WorkflowIdentity.of(workflow(templates), "");
    convert(4);
    assertThat(WorkflowIdentity.of(workflow(templates), "")).isNotEqualTo(identity);
  }

  @Test
  void deletionLeavesNothingOfAList() {
    list();
    convert(3);
    gives("a");
    long id = bench.submit(workflow(templates));
    run(id);
    bench.control.delete(id);
    assertThat(
            bench.jobs.database.<Integer, RuntimeException>read(
                handle ->
                    handle
                        .createQuery("select count(*) from workflow_list")
                        .mapTo(Integer.class)
                        .one()))
        .isZero();
  }

  @Test
  void wrongSourcesAreRefused() {
    List<String> refusals = new ArrayList<>();
    list();
    templates.put("other", template(command("/bin/x", "{file}"), Map.of("file", from(3))));
    refusals.add(refusal());
    templates.put(
        "other",
        template(
            command("/bin/x", "{file}"),
            Map.of("file", ValueList.of(new ListSource("lst.files", 3)))));
    refusals.add(refusal());
    templates.put("list", template(command("/bin/list", "{i}"), Map.of("i", values("1", "2"))));
    templates.put(
        "other",
        template(command("/bin/x", "{file}"), Map.of("file", from(3)), StepNeed.all("list")));
    refusals.add(refusal());
    list();
    templates.put(
        "use",
        template(
            command("/bin/u", "{file}"),
            Map.of("file", from(4)),
            StepNeed.all("list"),
            new StepNeed("other", NeedMatch.ELEMENT, null)));
    refusals.add(refusal());
    templates.put(
        "use",
        template(
            command("/bin/u", "{file}"),
            Map.of("file", values("a", "b", "c")),
            new StepNeed("other", null, List.of("file"))));
    refusals.add(refusal());
    assertThat(refusals.get(0)).contains("add 'list' to needs");
    assertThat(refusals.get(1)).contains("'lst.files' is not TEMPLATE.NAME");
    assertThat(refusals.get(2)).contains("'list' has or may have several");
    assertThat(refusals.get(3)).contains("the same list, with the same max");
    assertThat(refusals.get(4)).contains("only compared with the same list");
  }

  private String refusal() {
    try {
      bench.submit(workflow(templates));
      return "";
    } catch (io.millrace.api.MillraceException e) {
      return e.getMessage();
    }
  }
}
