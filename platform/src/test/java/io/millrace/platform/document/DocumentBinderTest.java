package io.millrace.platform.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.DataSize;
import io.millrace.api.Json;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.platform.document.DocumentBinder.Binding;
import io.millrace.platform.document.DocumentBinder.BindingProblem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DocumentBinderTest {
  record Step(String name, int tries) {
    Step {
      if (tries > 9) {
        throw new IllegalArgumentException("tries is at most 9, not " + tries);
      }
    }
  }

  record Plan(
      String name,
      Duration limit,
      DataSize size,
      boolean paused,
      List<Step> steps,
      Set<String> tags,
      Map<String, Integer> shares) {
    Plan {
      if (name == null) {
        throw new IllegalArgumentException("name is missing");
      }
    }
  }

  private final DocumentBinder binder = new DocumentBinder(Json.mapper());

  @Test
  void recordsListsSetsMapsAndQuantitiesAreRead() {
    Binding<Plan> binding =
        bind(
            """
            {"name": "a", "limit": "5m", "size": "1KB", "steps": [{"name": "x", "tries": 2}],
             "tags": ["b", "b"], "shares": {"c": 3}}
            """);

    assertThat(binding.problems()).isEmpty();
    assertThat(binding.value())
        .contains(
            new Plan(
                "a",
                Duration.ofMinutes(5),
                new DataSize(1024),
                false,
                List.of(new Step("x", 2)),
                Set.of("b"),
                Map.of("c", 3)));
  }

  @Test
  void aThousandProblemsAreEnoughAndADocumentWithMoreIsStillRefused() {
    Binding<Plan> binding =
        bind("{\"name\": \"a\", \"steps\": [" + "7,".repeat(5_000) + "7], \"tags\": [7, null]}");

    assertThat(binding.value()).isEmpty();
    assertThat(binding.problems()).hasSize(1_000);
    assertThat(binding.truncated()).isTrue();
  }

  @Test
  void knownKeysAreListedOnceForEachObject() {
    assertThat(bind("{\"name\": \"a\", \"qqqqq\": 1, \"zzzzz\": 2}").problems())
        .extracting(BindingProblem::text)
        .containsExactly(
            "unknown key; known keys: name, limit, size, paused, steps, tags, shares",
            "unknown key");
  }

  @Test
  void aKeyThatStandsInTheWrongPlaceIsNamedWithItsPath() throws JsonProcessingException {
    assertThat(
            binder
                .bind(tree("{\"count\": 1, \"part\": {\"outer\": \"b\"}}"), Whole.class)
                .problems())
        .extracting(BindingProblem::toString)
        .containsExactly(
            "count: unknown key; write it as part.inner.count",
            "part.outer: unknown key; write it as outer");
  }

  private record Whole(String outer, Part part) {}

  private record Part(Inner inner, Part again) {}

  private record Inner(int count) {}

  @Test
  void aTolerantBinderIgnoresUnknownKeysAndNothingElse() throws JsonProcessingException {
    DocumentBinder tolerant = DocumentBinder.tolerant(Json.mapper());

    assertThat(tolerant.bind(tree("{\"name\": \"a\", \"later\": 1}"), Plan.class).problems())
        .isEmpty();
    assertThat(tolerant.bind(tree("{\"later\": 1, \"limit\": \"soon\"}"), Plan.class).problems())
        .extracting(BindingProblem::path)
        .containsExactly("limit");
  }

  @Test
  void pathsAreCut() {
    Binding<Plan> binding = bind("{\"name\": \"a\", \"" + "k".repeat(40_000) + "\": 1}");

    assertThat(binding.problems().get(0).path()).hasSizeLessThan(250).endsWith("...");
  }

  @Test
  void allProblemsAreReportedWithTheirPaths() {
    Binding<Plan> binding =
        bind(
            """
            {"nam": "a", "limit": "soon", "paused": "perhaps", "tags": "b", "shares": {"c": []},
             "steps": [{"name": "x", "tries": 20}, {"trie": 1}, null, 7]}
            """);

    assertThat(binding.value()).isEmpty();
    assertThat(binding.problems())
        .extracting(BindingProblem::toString)
        .containsExactly(
            "nam: unknown key; did you mean 'name'?",
            "limit: 'soon' is not a duration; write for instance 500ms, 10s, 5m, 1h30m or PT10S",
            "paused: expected true or false, found \"perhaps\"",
            "tags: expected a list such as [a, b], found \"b\"",
            "shares.c: expected one value, found a list",
            "steps[0]: tries is at most 9, not 20",
            "steps[1].trie: unknown key; did you mean 'tries'?",
            "steps[2]: null is not allowed; leave it out",
            "steps[3]: expected an object (keys with values), found 7");
  }

  @Test
  void refusalsByAConstructorAreReportedOnceTheFormIsValid() {
    assertThat(bind("{}").problems()).containsExactly(new BindingProblem("", "name is missing"));
  }

  @Test
  void withSubstitutesTheRulesBehindABrokenValueAreCheckedToo() throws JsonProcessingException {
    ObjectNode substitutes = (ObjectNode) tree("{\"name\": \"a\"}");

    Binding<Plan> binding = binder.bind(tree("{\"limit\": 5, \"x\": 1}"), Plan.class, substitutes);

    assertThat(binding.problems())
        .extracting(BindingProblem::path)
        .containsExactly("limit", "x", "name");
  }

  @Test
  void aLongValueIsCutInTheMessage() {
    Binding<Plan> binding = bind("{\"paused\": \"" + "x".repeat(100_000) + "\"}");

    assertThat(binding.problems().get(0).text()).hasSizeLessThan(120).endsWith("...");
  }

  @Test
  void problemsOfAListBeginWithTheIndex() throws JsonProcessingException {
    assertThat(binder.bindList(tree("[{}, {\"tries\": \"x\"}]"), Step.class).problems())
        .containsExactly(new BindingProblem("[1].tries", "expected a whole number, found \"x\""));
    assertThat(binder.bindList(tree("[null]"), Step.class).problems())
        .containsExactly(new BindingProblem("[0]", "null is not allowed; leave it out"));
  }

  private Binding<Plan> bind(String json) {
    try {
      return binder.bind(tree(json), Plan.class);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode tree(String json) throws JsonProcessingException {
    return Json.mapper().readTree(json);
  }

  private record Limit(int most) {
    Limit {
      most = most == 0 ? 100 : most;
    }
  }

  @Test
  void aZeroThatWouldBecomeTheDefaultIsRefusedInFilesAlone() throws Exception {
    DocumentBinder files = DocumentBinder.ofFiles(Json.mapper());
    assertThat(files.bind(tree("{\"most\": 0}"), Limit.class).problems()).hasSize(1);
    assertThat(files.bindList(tree("[{\"most\": 5}, {\"most\": 0}]"), Limit.class).problems())
        .hasSize(1);
    assertThat(files.bindList(tree("[{\"most\": 5}, {}]"), Limit.class).value().orElseThrow())
        .containsExactly(new Limit(5), new Limit(100));
    assertThat(binder.bind(tree("{\"most\": 0}"), Limit.class).problems()).isEmpty();
  }

  /** A record that is written as a text or with its keys. */
  record Reference(String of, List<String> by) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Reference to(String of) {
      return new Reference(of, List.of());
    }

    @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
    static Reference of(@JsonProperty("of") String of, @JsonProperty("by") List<String> by) {
      return new Reference(of, by);
    }
  }

  /** A value that is written as a list or a text. */
  record Words(@JsonValue Object written) {
    @JsonCreator
    static Words read(Object written) {
      if (written instanceof List<?> list && list.isEmpty()) {
        throw new IllegalArgumentException("give at least one word");
      }
      return new Words(written);
    }
  }

  record References(List<Reference> needs, Reference first, Map<String, Words> each) {}

  @Test
  void aRecordMayBeWrittenAsTheTextOrTheListThatItsCreatorTakes() throws Exception {
    Binding<References> binding =
        binder.bind(
            Json.mapper()
                .readTree(
                    """
                    {"needs": ["a", {"of": "b", "by": ["x"]}], "first": "c",
                     "each": {"x": ["1", "2"], "y": "1-2"}}
                    """),
            References.class);

    assertThat(binding.problems()).isEmpty();
    assertThat(binding.value())
        .contains(
            new References(
                List.of(Reference.to("a"), new Reference("b", List.of("x"))),
                Reference.to("c"),
                Map.of("x", new Words(List.of("1", "2")), "y", new Words("1-2"))));
  }

  @Test
  void whatTheCreatorOfAListRefusesIsAProblemOfItsKey() throws Exception {
    Binding<References> binding =
        binder.bind(
            Json.mapper().readTree("{\"needs\": [7, {\"off\": \"b\"}], \"each\": {\"x\": []}}"),
            References.class);

    assertThat(binding.problems())
        .extracting(BindingProblem::path)
        .containsExactly("needs[0]", "needs[1].off", "each.x");
    assertThat(binding.problems().get(2).text()).isEqualTo("give at least one word");
  }

  @Test
  void aWorkflowIsReadAsItsBuilderWritesIt() throws Exception {
    WorkflowGraph graph = new WorkflowGraph("nightly").argument("night", "1").maxRunning(0);
    TemplateDraft fetch =
        graph.template("fetch", JobDraft.command("fetch", "{day}").spec()).each("day", "b", "a");
    graph
        .template("load", JobDraft.command("load", "{day}").spec())
        .each("day", ValueList.of(List.of("x", "y")))
        .needsElements(fetch);
    graph.template("sum", JobDraft.command("sum").spec()).needs(fetch).maxRunning(2);
    graph.step("one", graph.template("list", JobDraft.command("ls").spec()), Map.of());
    WorkflowSubmission submission = graph.submission("monday");

    Binding<WorkflowSubmission> read =
        binder.bind(Json.mapper().valueToTree(submission), WorkflowSubmission.class);
    Binding<StepChunk> chunk =
        binder.bind(Json.mapper().valueToTree(graph.chunk(0)), StepChunk.class);

    assertThat(read.problems()).isEmpty();
    assertThat(read.value()).contains(submission);
    assertThat(read.value().orElseThrow().workflow().templates().keySet())
        .containsExactly("fetch", "load", "sum", "list");
    assertThat(chunk.value()).contains(graph.chunk(0));
  }

  record Documented(JsonNode schema, String name) {}

  @Test
  void aNodeTakesWhateverIsWrittenThere() throws Exception {
    Binding<Documented> binding =
        binder.bind(
            Json.mapper().readTree("{\"schema\": {\"items\": [1, {\"a\": null}]}, \"other\": 1}"),
            Documented.class);

    assertThat(binding.problems()).extracting(BindingProblem::path).containsExactly("other");
    assertThat(
            binder
                .bind(Json.mapper().readTree("{\"schema\": [true]}"), Documented.class)
                .value()
                .orElseThrow()
                .schema())
        .isEqualTo(Json.mapper().readTree("[true]"));
  }
}
