package io.millrace.cli.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.DataSize;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.WorkflowDefinition;
import io.millrace.api.workflow.WorkflowDefinition.StepLine;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.invocation.Suggestions;
import io.millrace.platform.document.DocumentBinder;
import io.millrace.platform.document.DocumentBinder.Binding;
import io.millrace.platform.document.DocumentBinder.BindingProblem;
import io.millrace.platform.document.YamlReader;
import io.millrace.platform.document.YamlReader.YamlDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A file with a workflow, YAML or JSON: the fields of the API's workflow, and its listed steps with
 * the names of what they need. All problems are reported at once.
 */
final class WorkflowFile {
  /** The largest file; the reader of YAML takes no more. */
  static final DataSize LARGEST = new DataSize(3L << 20);

  private static final String OPTION = "--file";
  private static final String KIND = "kind";
  private static final String STEPS = "steps";
  private static final String ARGUMENTS = "arguments";
  private static final int SHOWN_PROBLEMS = 20;
  private static final int MAX_COMPARED = 10_000;

  private static final DocumentBinder BINDER =
      DocumentBinder.ofFiles(
          Json.mapper().rebuild().enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS).build());

  private static final ObjectReader JSON =
      Json.mapper().reader().with(StreamReadFeature.STRICT_DUPLICATE_DETECTION);

  private final Path path;
  private final String name;
  private final InputStream standardInput;

  /** The path {@code -} means standard input. */
  WorkflowFile(Path path, InputStream standardInput) {
    this.path = path;
    this.name = isStandardInput(path) ? "standard input" : path.toString();
    this.standardInput = standardInput;
  }

  /**
   * Reads it.
   *
   * @param arguments replace those of the file
   * @throws MillraceException INVALID_REQUEST naming the file, the keys and what to do
   */
  WorkflowGraph read(Map<String, String> arguments) {
    return read(arguments, null, null, graph -> List.of());
  }

  /**
   * Reads it.
   *
   * @param arguments replace those of the file
   * @param resources replace those of its templates; null for none
   * @param stepLines a file with further listed steps; null for none
   * @param check finds further problems of a graph that has no others
   * @throws MillraceException INVALID_REQUEST naming the file, the keys and what to do
   */
  WorkflowGraph read(
      Map<String, String> arguments,
      ResourcesFile resources,
      Path stepLines,
      Function<WorkflowGraph, List<GraphProblem>> check) {
    YamlDocument document = document();
    ObjectNode tree = tree(document);
    replaceArguments(tree, arguments);
    if (resources != null) {
      resources.apply(tree);
    }
    JsonNode listed = tree.remove(STEPS);
    Binding<WorkflowSpec> workflow = BINDER.bind(tree, WorkflowSpec.class);
    List<BindingProblem> problems = new ArrayList<>(workflow.problems());
    List<StepLine> lines = List.of();
    if (listed != null && !listed.isNull()) {
      Binding<List<StepLine>> steps = BINDER.bindList(listed, StepLine.class);
      steps
          .problems()
          .forEach(one -> problems.add(new BindingProblem(STEPS + one.path(), one.text())));
      lines = steps.value().orElse(List.of());
    }
    if (!problems.isEmpty()) {
      throw refused(
          problems.stream().map(one -> document.place(one.path()) + ": " + one.text()).toList());
    }
    List<GraphProblem> wrong = new ArrayList<>();
    WorkflowGraph graph = graph(workflow.value().orElseThrow(), lines, wrong);
    StepLines further = stepLines == null ? null : new StepLines(stepLines, graph);
    if (further != null) {
      further.read(wrong);
    }
    wrong.addAll(graph.problems());
    if (wrong.isEmpty()) {
      wrong.addAll(check.apply(graph));
    }
    if (!wrong.isEmpty()) {
      throw refused(
          wrong.stream()
              .map(
                  one ->
                      Optional.ofNullable(further)
                              .flatMap(file -> file.place(one.path()))
                              .orElseGet(() -> document.place(one.path()))
                          + ": "
                          + one.text())
              .toList());
    }
    return graph;
  }

  private ObjectNode tree(YamlDocument document) {
    OptionRefusal.unless(
        document.content() instanceof ObjectNode,
        OPTION,
        name + ": expected a mapping that begins with 'kind: workflow'");
    ObjectNode tree = document.content().deepCopy();
    JsonNode kind = tree.remove(KIND);
    OptionRefusal.unless(
        kind != null && kind.asText().equals("workflow"),
        OPTION,
        kind == null
            ? name + ": 'kind:' is missing; write 'kind: workflow'"
            : "%s: write 'kind: workflow', not '%s'"
                .formatted(document.place(KIND), ShownText.of(kind.asText())));
    return tree;
  }

  private void replaceArguments(ObjectNode tree, Map<String, String> arguments) {
    ObjectNode known =
        tree.get(ARGUMENTS) instanceof ObjectNode object
            ? object
            : Json.mapper().createObjectNode();
    Set<String> names = new TreeSet<>();
    known.fieldNames().forEachRemaining(names::add);
    arguments.forEach(
        (argument, value) -> {
          OptionRefusal.unless(
              known.has(argument),
              "--arg",
              "%s has no argument '%s'%s"
                  .formatted(name, ShownText.of(argument), hint(argument, names)));
          known.put(argument, value);
        });
  }

  private static String hint(String wrong, Set<String> known) {
    String meant = meant(wrong, known);
    if (!meant.isEmpty()) {
      return meant;
    }
    return known.isEmpty() ? "; it has none" : "; it has " + ShownText.of(String.join(", ", known));
  }

  private static String meant(String wrong, Set<String> known) {
    List<String> similar = Suggestions.of(ShownText.of(wrong), known);
    return similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?";
  }

  private static WorkflowGraph graph(
      WorkflowSpec workflow, List<StepLine> lines, List<GraphProblem> wrong) {
    return WorkflowDefinition.graph(
        workflow,
        lines,
        (needed, names) -> {
          // Each is compared with all names, which many wrong ones would make slow.
          boolean few = wrong.size() < SHOWN_PROBLEMS && names.size() < MAX_COMPARED;
          return few ? meant(needed, names) : "";
        },
        wrong);
  }

  private static MillraceException refused(List<String> lines) {
    String shown = String.join("\n", lines.subList(0, Math.min(lines.size(), SHOWN_PROBLEMS)));
    int hidden = lines.size() - SHOWN_PROBLEMS;
    return OptionRefusal.of(
        OPTION, shown + (hidden > 0 ? "\nand " + hidden + " more problems" : ""));
  }

  private YamlDocument document() {
    String text = text();
    if (text.stripLeading().startsWith("{")) {
      try {
        return new YamlDocument(name, 0, JSON.readTree(text), Map.of());
      } catch (JsonProcessingException e) {
        int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
        throw OptionRefusal.of(OPTION, name + ": line " + line + ": " + Json.syntax(e));
      }
    }
    List<String> unreadable = new ArrayList<>();
    // Values stay as they are written: the argument 1.10 is no number.
    List<YamlDocument> documents = YamlReader.verbatim(name, text, unreadable);
    OptionRefusal.unless(unreadable.isEmpty(), OPTION, String.join("\n", unreadable));
    OptionRefusal.unless(
        documents.size() == 1,
        OPTION,
        documents.isEmpty()
            ? name + " is empty; begin it with 'kind: workflow'"
            : name + " has " + documents.size() + " documents; submit one workflow at a time");
    YamlDocument only = documents.get(0);
    return new YamlDocument(name, 0, only.content(), only.lines());
  }

  private String text() {
    int most = (int) LARGEST.bytes();
    byte[] bytes;
    try (InputStream in = isStandardInput(path) ? standardInput : Files.newInputStream(path)) {
      bytes = in.readNBytes(most + 1);
    } catch (IOException e) {
      throw OptionRefusal.of(OPTION, "cannot read file " + path);
    }
    OptionRefusal.unless(
        bytes.length <= most,
        OPTION,
        name
            + " is larger than "
            + LARGEST
            + "; make its steps with 'each', list them in a file for --steps, or with the Java or"
            + " Python client");
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static boolean isStandardInput(Path path) {
    return path.toString().equals("-");
  }
}
