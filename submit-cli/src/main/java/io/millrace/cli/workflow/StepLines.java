package io.millrace.cli.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.WorkflowDefinition.StepLine;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.cli.invocation.OptionRefusal;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A file with listed steps, one JSON object on each line. It is read twice, so that steps may need
 * later ones: first all steps, then what they need. A step takes about 100 bytes and its texts in
 * memory. One thread.
 */
final class StepLines {
  /** The longest line, in bytes. */
  static final int LONGEST_LINE = 1 << 20;

  private static final String OPTION = "--steps";
  private static final int SHOWN_PROBLEMS = 20;
  private static final ObjectReader READER =
      Json.mapper()
          .readerFor(StepLine.class)
          .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final Path path;
  private final WorkflowGraph graph;
  // Listed steps of the workflow's own file come first.
  private final int before;

  StepLines(Path path, WorkflowGraph graph) {
    this.path = path;
    this.graph = graph;
    this.before = graph.listedSteps();
  }

  /**
   * Adds the steps to the graph.
   *
   * @param problems takes what is wrong with what they need
   * @throws MillraceException INVALID_REQUEST with the line that cannot be read
   */
  void read(List<GraphProblem> problems) {
    OptionRefusal.unless(
        Files.isRegularFile(path),
        OPTION,
        path + " is not a regular file; it is read twice, so that it cannot be a pipe");
    each((number, step) -> graph.step(step.name(), step.template(), step.arguments()));
    each((number, step) -> needs(number, step, problems));
  }

  /** Where a problem of the graph is; empty if it is in the workflow's own file. */
  Optional<String> place(String graphPath) {
    if (!graphPath.startsWith("steps[")) {
      return Optional.empty();
    }
    int end = graphPath.indexOf(']');
    int step = Integer.parseInt(graphPath.substring("steps[".length(), end));
    if (step < before) {
      return Optional.empty();
    }
    String key = graphPath.substring(end + 1);
    return Optional.of(
        "%s: line %d%s"
            .formatted(path, step - before + 1, key.isEmpty() ? "" : ": " + key.substring(1)));
  }

  private void needs(int number, StepLine line, List<GraphProblem> problems) {
    StepHandle step = graph.listedStep(before + number);
    for (int i = 0; i < line.needs().size(); i++) {
      String needed = line.needs().get(i);
      Optional<TemplateDraft> template = graph.template(needed);
      Optional<StepHandle> other = template.isPresent() ? Optional.empty() : graph.step(needed);
      if (template.isPresent()) {
        step.needs(template.get());
      } else if (other.isPresent()) {
        step.needs(other.get());
      } else if (problems.size() < SHOWN_PROBLEMS) {
        problems.add(
            new GraphProblem(
                "steps[%d].needs[%d]".formatted(before + number, i),
                "there is no step or template '%s'".formatted(ShownText.of(needed))));
      }
    }
  }

  /** Takes steps with their numbers in the file, from 0. */
  private interface LineTaker {
    void take(int number, StepLine step);
  }

  private void each(LineTaker taker) {
    int number = 0;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
      for (String line = next(in, number); line != null; line = next(in, number)) {
        taker.take(number, step(line, number));
        number++;
      }
    } catch (IOException e) {
      throw OptionRefusal.of(OPTION, "cannot read file " + path);
    }
  }

  private String next(InputStream in, int number) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    int read = in.read();
    if (read < 0) {
      return null;
    }
    while (read >= 0 && read != '\n') {
      if (line.size() == LONGEST_LINE) {
        throw refused(number, "it is longer than " + LONGEST_LINE + " bytes");
      }
      line.write(read);
      read = in.read();
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private StepLine step(String line, int number) {
    try {
      StepLine step = READER.readValue(line);
      if (step == null) {
        throw refused(number, "it is empty; write one step on each line");
      }
      return step;
    } catch (JsonProcessingException e) {
      if (line.isBlank()) {
        throw refused(number, "it is empty; write one step on each line");
      }
      throw refused(
          number,
          Json.syntax(e)
              + "; write an object such as {\"template\": \"fit\", \"name\": \"a\", \"arguments\":"
              + " {\"x\": \"1\"}, \"needs\": [\"b\"]}");
    }
  }

  private MillraceException refused(int number, String what) {
    return OptionRefusal.of(OPTION, "%s: line %d: %s".formatted(path, number + 1, what));
  }
}
