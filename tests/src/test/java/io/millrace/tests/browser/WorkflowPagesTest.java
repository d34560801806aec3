package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** The dashboard's pages about workflows (J-05: monitor, debug). */
class WorkflowPagesTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String MARKUP = "<img src=x onerror=alert(1)>";

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(1, 2, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  private static WorkflowClient workflows() {
    return CLUSTER.central(Role.OPERATOR).workflows();
  }

  private static long submit(WorkflowGraph graph) {
    return workflows().submit(graph, "", SubmissionListener.NONE).id();
  }

  private static long ended(WorkflowGraph graph, WorkflowState state) {
    long id = submit(graph);
    WorkflowView end = workflows().await(id, SOON);
    assertThat(end.state()).as(end.reason()).isEqualTo(state);
    return id;
  }

  private static ValueList numbers(int last) {
    return new ValueList(null, new ArrayRange(1, last, 1, 0));
  }

  private static JobSpec shell(String script, String... arguments) {
    List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", script, "step"));
    argv.addAll(List.of(arguments));
    return JobDraft.command(argv).memory("64MB").timeout(Duration.ofMinutes(5)).spec();
  }

  /** Of convert, every eighth step fails, so that report never starts. */
  private static WorkflowGraph nightly(String name) {
    WorkflowGraph graph = new WorkflowGraph(name);
    TemplateDraft prepare = graph.template("prepare", shell("echo prepared; sleep 0.3"));
    TemplateDraft fetch =
        graph
            .template("fetch", shell("echo fetched $1; sleep 0.1", "{part}"))
            .each("part", numbers(24))
            .needs(prepare);
    TemplateDraft convert =
        graph
            .template(
                "convert",
                shell(
                    "echo reading $1; [ $(($1 % 8)) -ne 0 ] || { echo 'no space left' >&2; exit 3; }",
                    "{part}"))
            .each("part", numbers(24))
            .needsElements(fetch);
    TemplateDraft check = graph.template("check", shell("echo checked")).needs(fetch);
    graph.template("report", shell("echo done")).needs(convert).needs(check);
    return graph;
  }

  private static WorkflowState state(long id) {
    return workflows().show(id).workflow().state();
  }

  private List<String> texts(String selector) {
    return browser.displayed(selector).stream().map(Browser.Displayed::text).toList();
  }

  /** Pictures in both themes, and of a narrow window. */
  private void pictures(String name) throws IOException {
    browser.picture(name);
    browser.width(800);
    try {
      assertThat(browser.scrollsSideways()).as("at 800 pixels").isFalse();
      browser.picture(name + "-narrow");
    } finally {
      browser.width(1400);
    }
    theme(2);
    browser.picture(name + "-dark");
    theme(1);
  }

  // The system's, then light, then dark.
  private void theme(int clicks) {
    for (int i = 0; i < clicks; i++) {
      browser.elements("#theme").get(0).click();
    }
  }

  @Test
  void theListIsFilteredByStateAndNameAndLeadsToEach() throws IOException {
    ended(nightly("listed-failing"), WorkflowState.FAILED);
    WorkflowGraph simple = new WorkflowGraph("listed-simple");
    simple.template("only", shell("true", "{part}")).each("part", numbers(3));
    long succeeded = ended(simple, WorkflowState.SUCCEEDED);

    browser.page("#/workflows");
    browser.awaitText("nav a[aria-current]", "Workflows");
    browser.awaitText("table tbody tr", "listed-failing");
    browser.awaitText("table tbody tr", "3 of 3 succeeded");
    pictures("workflows");

    browser.click("main a.view", "failed");
    browser.awaitText("main a.view[aria-current]", "failed");
    browser.awaitText("table tbody tr", "listed-failing");
    assertThat(texts("table tbody tr")).noneMatch(row -> row.contains("listed-simple"));
    browser.page("#/workflows");
    browser.type("main input[type=search]", "listed-simple" + Keys.ENTER);
    Awaitility.await("only that name")
        .atMost(SOON)
        .until(
            () -> texts("table tbody tr"),
            rows -> rows.size() == 1 && rows.get(0).contains("listed-simple"));
    browser.click("table a", Long.toString(succeeded));
    browser.awaitText("h1", "Workflow " + succeeded + ": listed-simple");
    browser.awaitText("h1 .state", "succeeded");
    browser.page("#/workflows?name=none-of-these");
    browser.awaitText("main .empty", "No workflow matches");
  }

  @Test
  void theGraphShowsTemplatesWithTheirProgressAndStepsIfTheyAreFew() throws IOException {
    long id = ended(nightly("drawn"), WorkflowState.FAILED);
    browser.page("#/workflows/" + id);
    browser.awaitText("h1 .state", "failed");
    browser.awaitText(".graph .node[data-key=fetch]", "24/24");
    browser.awaitText(".graph .node[data-key=convert]", "21/24 · 3 failed");
    browser.awaitText(".graph .node[data-key=report]", "0/1");
    assertThat(browser.elements(".graph .edges path")).as("edges").hasSize(5);
    assertThat(browser.elements(".graph .node[data-key=convert][data-tone=bad]")).hasSize(1);
    pictures("workflow-graph");

    browser.click(".card a.view", "Steps");
    browser.awaitText(".graph .node", "convert[8]");
    browser.awaitText(".graph .node", "all of fetch");
    assertThat(browser.elements(".graph .node:not(.small)")).hasSize(51);
    pictures("workflow-graph-steps");
    browser.click("button", "+");
    browser.click("button", "Fit");

    browser.page("#/workflows/" + id);
    browser.awaitText(".graph .node[data-key=fetch]", "24/24");
    // A node is reached and opened by the keyboard.
    browser.type(".graph .node[data-key=convert] a", Keys.ENTER);
    browser.awaitText("table tbody tr", "part=1");
    assertThat(browser.address()).contains("view=steps&template=convert");
  }

  @Test
  void aRunningWorkflowIsPausedLimitedResumedAndCancelled() throws IOException {
    Path go = CLUSTER.folder("paused").resolve("go");
    WorkflowGraph graph = new WorkflowGraph("controlled");
    TemplateDraft first =
        graph
            .template(
                "first", shell("while ! [ -e $1 ]; do sleep 0.1; done", go.toString(), "{part}"))
            .each("part", numbers(20));
    graph.template("second", shell("true", "{part}")).each("part", numbers(20)).needs(first);
    graph.maxRunning(4);
    long id = submit(graph);

    browser.page("#/workflows/" + id);
    browser.awaitText(".graph .node[data-key=first]", "4 running");
    browser.awaitText("dl.facts", "at most 4 steps at the same time");
    pictures("workflow-running");
    browser.click(".buttons button", "Pause");
    browser.click("dialog button", "Pause");
    browser.awaitText("h1 .state", "paused");
    assertThat(workflows().show(id).workflow().paused()).isTrue();
    browser.click(".buttons button", "Set limit");
    browser.type("dialog input[name=most]", Keys.chord(Keys.CONTROL, "a") + "3" + Keys.ENTER);
    browser.awaitText("dl.facts", "at most 3 steps at the same time");

    browser.click("nav[aria-label=Views] a", "Templates");
    browser.awaitText("table tbody tr", "second");
    browser.click("table button", "Set limit");
    browser.type("dialog input[name=most]", "2" + Keys.ENTER);
    Awaitility.await("the limit of the template")
        .atMost(SOON)
        .until(
            () -> Integer.valueOf(2).equals(workflows().show(id).templates().get(0).maxRunning()));
    pictures("workflow-templates");
    browser.click(".buttons button", "Resume");
    browser.click("dialog button", "Resume");
    browser.awaitText("h1 .state", "running");

    browser.click(".buttons button", "Cancel");
    browser.click("dialog button", "Cancel the workflow");
    browser.awaitText("h1 .state", "cancelled");
    assertThat(state(id)).isEqualTo(WorkflowState.CANCELLED);

    Files.createFile(go);
    browser.click(".buttons button", "Retry");
    browser.click("dialog button", "Retry");
    browser.awaitText("h1 .state", "succeeded");
    browser.click(".buttons button", "Delete");
    browser.click("dialog button", "Delete");
    browser.awaitText("#toast", "is deleted");
    browser.awaitText("h1", "Workflows");
  }

  @Test
  void errorsAreClustersThatLeadToStepsAndTheirOutput() throws IOException {
    long id = ended(nightly("erring"), WorkflowState.FAILED);
    browser.page("#/workflows/" + id + "?view=errors");
    browser.awaitText("table tbody tr", "no space left");
    browser.awaitText("table tbody tr", "exit");
    assertThat(texts("table tbody tr")).singleElement().asString().contains("3");
    pictures("workflow-errors");

    browser.click("table a", "step 32");
    browser.awaitText("h1", "Step 32");
    browser.awaitText("h1 .state", "failed");
    browser.awaitText("pre.log", "no space left");
    browser.awaitText("section table tbody tr", "fetch");
    pictures("workflow-step");

    browser.page("#/workflows/" + id + "/steps/50");
    browser.awaitText(".reasons li", "needs all steps of 'convert'");
    browser.picture("workflow-step-waiting");
    browser.page("#/workflows/" + id + "/steps/99");
    browser.awaitText("main .notice", "has no step 99");
    browser.errors();
  }

  @Test
  void aJobLeadsToItsStepAndAnArrayToItsWorkflow() {
    long id = ended(nightly("linked"), WorkflowState.FAILED);
    long job = workflows().step(id, "convert[8]").job();
    browser.page("#/jobs/" + job);
    browser.click("dl.facts a", "step 32");
    browser.awaitText("h1", "Step 32");
    long array = workflows().show(id).templates().get(1).array();
    browser.page("#/jobs/" + array);
    browser.awaitText("dl.facts", "24 of 24");
    browser.click("dl.facts a", Long.toString(id));
    browser.awaitText("h1", "Workflow " + id + ": linked");
  }

  @Test
  void stepsAreFilteredAndPaged() throws IOException {
    WorkflowGraph graph = new WorkflowGraph("paged");
    TemplateDraft many =
        graph.template("many", shell("exit $(($1 == 77))", "{part}")).each("part", numbers(120));
    graph.template("last", shell("true")).needs(many);
    TemplateDraft odd = graph.template("odd", shell("true", "{text}"));
    graph.step("marked", odd, Map.of("text", MARKUP));
    long id = ended(graph, WorkflowState.FAILED);

    browser.page("#/workflows/" + id + "?view=steps");
    browser.awaitText("table tbody tr", "part=50");
    assertThat(browser.elements("table tbody tr")).hasSize(50);
    pictures("workflow-steps");
    browser.click("a", "Next steps");
    browser.awaitText("table tbody tr", "part=51");
    browser.click("a", "Next steps");
    browser.awaitText("table tbody tr", MARKUP);
    assertThat(browser.elements("table tbody tr")).hasSize(22);
    assertThat(browser.elements("main img")).as("elements created from an argument").isEmpty();
    browser.click("a", "First steps");
    browser.awaitText("table tbody tr", "part=1");

    browser.page("#/workflows/" + id + "?view=steps&state=failed");
    browser.awaitText("table tbody tr", "part=77");
    assertThat(browser.elements("table tbody tr")).hasSize(1);
    browser.page("#/workflows/" + id + "?view=steps&template=nothing");
    browser.awaitText("main .card .notice", "no template 'nothing'");
  }

  @Test
  void timelineResourcesAndCriticalPathAreShown() throws IOException {
    WorkflowGraph graph = new WorkflowGraph("measured");
    TemplateDraft before = null;
    for (int i = 0; i < 10; i++) {
      TemplateDraft template =
          graph
              .template("stage-" + i, shell("sleep 0.$(($1 % 5 + 2))", "{part}"))
              .each("part", numbers(8 + i));
      if (before != null && i % 3 == 0) {
        template.needs(before);
      }
      before = template;
    }
    long id = ended(graph, WorkflowState.SUCCEEDED);

    browser.page("#/workflows/" + id + "?view=timeline");
    browser.awaitText("main", "others are 2 templates together");
    Awaitility.await("the chart").atMost(SOON).until(() -> browser.drawnCharts() > 0);
    pictures("workflow-timeline");

    browser.page("#/workflows/" + id + "?view=resources");
    browser.awaitText("table tbody tr", "stage-9");
    browser.awaitText("main", "steps that succeeded");
    browser.awaitText("main h2", "Memory: asked for and used");
    pictures("workflow-resources");

    browser.page("#/workflows/" + id + "?view=path");
    browser.awaitText("main", "The longest chain of steps takes");
    browser.awaitText("table tbody tr", "stage-");
    pictures("workflow-path");
  }

  /** Runs, and writes a line each time it begins, until the file exists. */
  private static JobSpec lasting(Path folder, String then) {
    return shell(
        "echo began >> $1/began; while ! [ -e $1/go ]; do sleep 0.1; done; " + then,
        folder.toString());
  }

  private static void awaitBeginnings(Path folder, int times) {
    Awaitility.await("it has begun " + times + " times")
        .atMost(SOON)
        .until(
            () ->
                Files.exists(folder.resolve("began"))
                    && Files.readAllLines(folder.resolve("began")).size() == times);
  }

  @Test
  void whatHoldsTemplatesBackIsShownAndSomeOfTheirStepsAreTried() throws IOException {
    Path folder = CLUSTER.folder("broken");
    WorkflowGraph graph = new WorkflowGraph("broken");
    // Only the first two fail, however late they are counted; one that has begun by then goes on.
    JobSpec program =
        shell(
            "[ -e $1 ] || [ $2 -gt 2 ] || exit 1; while ! [ -e $1 ]; do sleep 0.1; done",
            folder.resolve("mended").toString(),
            "{part}");
    graph
        .template("program", program)
        .each("part", numbers(12))
        .maxRunning(1)
        .breaker(new BreakerRule(2, 1, false));
    TemplateDraft list =
        graph.template("list", lasting(folder, "echo files=a,b >> \"$MILLRACE_OUTPUT\""));
    graph.template("taken", shell("true", "{file}")).eachOf("file", list, "files", 5);
    long id = submit(graph);
    browser.page("#/workflows/" + id);
    browser.awaitText("main .notice", "Template program is paused");
    browser.awaitText(".graph .node[data-key=taken]", "after list");
    assertThat(browser.elements(".graph .node[data-key=taken][data-tone=good]")).isEmpty();
    pictures("workflow-broken");
    browser.page("#/workflows/" + id + "?view=templates");
    browser.awaitText("table tbody tr", "after list");
    browser.awaitText("table tbody tr", "paused");

    Files.createFile(folder.resolve("mended"));
    browser.click("main .notice button", "Try some steps");
    browser.awaitText("table tbody tr", "10 of 12 succeeded, 2 failed");
    browser.awaitText(
        "section[aria-label='Last changes'] tr", "let some steps of 'program' be tried");
    awaitBeginnings(folder, 1);
    // While it runs, it is asked what happens to the steps that run.
    browser.click(".buttons button", "Retry");
    browser.awaitText("dialog fieldset", "continue, and count when they end");
    browser.click("dialog button", "Retry");
    browser.awaitText("table tbody tr", "12 of 12 succeeded");
    assertThat(browser.elements("main .notice button")).isEmpty();
    Files.createFile(folder.resolve("go"));
    browser.awaitText("h1 .state", "succeeded");
    browser.awaitText("table tbody tr", "2 of 2 succeeded");
    awaitBeginnings(folder, 1);

    browser.click(".buttons button", "Archive");
    browser.awaitText("dl.facts", "archived");
    browser.click(".buttons button", "Unarchive");
    browser.awaitText("section[aria-label='Last changes'] tr", "took it out of the archive");
    browser.awaitText(".buttons button", "Archive");
  }

  @Test
  void whatRunsIsEndedFirstIfItIsRetriedCold() throws IOException {
    Path folder = CLUSTER.folder("cold");
    WorkflowGraph graph = new WorkflowGraph("cold");
    graph.template("lasting", lasting(folder, "true"));
    graph.template("failing", shell("[ -e $1 ]", folder.resolve("mended").toString()));
    long id = submit(graph);
    awaitBeginnings(folder, 1);
    browser.page("#/workflows/" + id + "?view=templates");
    browser.awaitText("table tbody tr", "0 of 1 succeeded, 1 failed");
    Files.createFile(folder.resolve("mended"));
    browser.click(".buttons button", "Retry");
    browser.awaitText("dialog", "1 failed and cancelled steps run again");
    browser.click("dialog fieldset label", "are ended first, and run again");
    browser.picture("workflow-retry");
    browser.click("dialog button", "Retry");
    awaitBeginnings(folder, 2);
    browser.awaitText("table tbody tr", "1 of 1 succeeded");
    Files.createFile(folder.resolve("go"));
    browser.awaitText("h1 .state", "succeeded");
    assertThat(texts("table tbody tr")).noneMatch(row -> row.contains("0 of 1 succeeded"));
    awaitBeginnings(folder, 2);
  }

  @Test
  void aRunThatWasDeclaredToHaveSucceededIsRetried() {
    WorkflowGraph graph = new WorkflowGraph("declared");
    graph.template("one", shell("false"));
    long id = ended(graph, WorkflowState.FAILED);
    workflows().setStatus(id, new StatusChange(List.of(), "succeeded", "checked by hand"));
    browser.page("#/workflows/" + id);
    browser.awaitText("h1 .state", "succeeded");
    browser.click(".buttons button", "Retry");
    browser.awaitText("dialog", "which is taken back");
    browser.click("dialog button", "Retry");
    browser.awaitText("h1 .state", "failed");
    assertThat(workflows().show(id).events()).hasSize(3);
  }

  @Test
  void aRefusedOneSaysSoAndAFailedLoadLeavesWhatWasShown() {
    WorkflowGraph cycle = new WorkflowGraph("cycle");
    TemplateDraft one = cycle.template("one", shell("true", "{n}"));
    StepHandle first = cycle.step("a", one, Map.of("n", "1"));
    first.needs(cycle.step("b", one, Map.of("n", "2")).needs(first));
    long refused = submit(cycle);
    browser.page("#/workflows/" + refused + "?view=timeline");
    browser.awaitText("main .empty", "It was refused and never started.");

    long id = ended(nightly("interrupted"), WorkflowState.FAILED);
    browser.page("#/workflows/" + id + "/steps/32");
    browser.awaitText("pre.log", "no space left");
    browser.whileUnanswered(
        "/v1/workflows/*",
        () -> {
          browser.awaitText("main .notice", "does not answer");
          assertThat(texts("pre.log")).anyMatch(text -> text.contains("no space left"));
        });
    browser.whileUnanswered(
        "/dagre",
        () -> {
          browser.page("#/workflows/" + id);
          browser.awaitText("main .notice", "import");
          assertThat(browser.elements(".graph")).isEmpty();
        });
    browser.awaitText(".graph .node[data-key=fetch]", "24/24");
    browser.errors();
  }

  @Test
  void aViewerSeesNoButtons() throws IOException {
    WorkflowGraph graph = new WorkflowGraph("viewed");
    graph.template("held", shell("true", "{part}")).each("part", numbers(5));
    long id = submit(graph.maxRunning(0));
    try {
      BROWSER.logIn(Role.VIEWER);
      browser.page("#/workflows/" + id);
      browser.awaitText(".graph .node", "0/5");
      assertThat(browser.elements("h1 button")).isEmpty();
      browser.page("#/workflows/" + id + "?view=templates");
      browser.awaitText("table tbody tr", "held");
      assertThat(browser.elements("main table button")).isEmpty();
    } finally {
      BROWSER.logIn();
      workflows().cancel(id);
    }
  }

  @Test
  void aLargeWorkflowIsShownByLayersAndItsTemplatesAreFound() throws IOException {
    WorkflowGraph graph = new WorkflowGraph("large");
    List<TemplateDraft> above = List.of();
    for (int layer = 0; layer < 20; layer++) {
      List<TemplateDraft> row = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        TemplateDraft template =
            graph
                .template("layer-%d-part-%d".formatted(layer, i), shell("true", "{n}"))
                .each("n", numbers(100));
        if (!above.isEmpty()) {
          template.needsElements(above.get(i)).needs(above.get((i + 1) % 50));
        }
        row.add(template);
      }
      above = row;
    }
    long id = submit(graph.maxRunning(0));
    Awaitility.await("it is checked").atMost(SOON).until(() -> state(id) == WorkflowState.RUNNING);
    try {
      browser.page("#/workflows/" + id);
      browser.awaitText("main", "It has 1,000 templates and 1,900 edges");
      browser.awaitText(".graph .node", "Layer 1: 50 templates");
      assertThat(browser.elements(".graph .node")).hasSize(20);
      pictures("workflow-large");
      browser.type("main form input[type=search]", "layer-7-part-3" + Keys.ENTER);
      browser.awaitText("main", "waits for 2 and is waited for by");
      browser.awaitText(".graph .node", "layer-6-part-");
      pictures("workflow-large-neighbours");
      browser.page("#/workflows/" + id + "?layer=4");
      browser.awaitText(".found a", "layer-4-part-49");
      browser.picture("workflow-large-layer");
      browser.page("#/workflows/" + id + "?view=templates");
      browser.awaitText("main .filters", "The first 200 of 1,000 templates");
      browser.page("#/workflows/" + id + "?view=steps&template=layer-19-part-49");
      browser.awaitText("table tbody tr", "n=50");
      browser.page("#/workflows");
      browser.awaitText("table tbody tr", "0 of 100,000 succeeded");
    } finally {
      workflows().cancel(id);
    }
  }
}
