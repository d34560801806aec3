package io.millrace.cli.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.Refusal;
import io.millrace.platform.config.NearestName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A file with the specification of a job as the API takes it, YAML or JSON; unknown keys are
 * refused.
 */
final class JobFile {
  private static final String OPTION = "--file";

  private final Path path;
  private final InputStream standardInput;

  /** The path {@code -} stands for the standard input. */
  JobFile(Path path, InputStream standardInput) {
    this.path = path;
    this.standardInput = standardInput;
  }

  /**
   * Reads it.
   *
   * @param command takes the place of what the file runs; empty for what it says
   * @throws MillraceException INVALID_REQUEST naming the file, the key and the fix
   */
  JobSpec read(List<String> command) {
    ObjectNode tree = tree();
    if (!command.isEmpty()) {
      tree.remove("program");
      tree.remove("arguments");
      ArrayNode words = tree.putArray("command");
      command.forEach(words::add);
    }
    Refusal.unless(
        tree.has("command") || tree.has("program"),
        OPTION,
        path + " says nothing to run; add 'command: [PROGRAM, ARGUMENT]' or write it after --");
    ObjectReader strict =
        Json.mapper()
            .readerFor(JobSpec.class)
            .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    try {
      return strict.readValue(tree);
    } catch (UnrecognizedPropertyException e) {
      throw unknown(e);
    } catch (JsonMappingException e) {
      throw wrong(e);
    } catch (IOException e) {
      throw unreadable(e.getMessage());
    }
  }

  private ObjectNode tree() {
    String text = text();
    try {
      JsonNode tree =
          text.stripLeading().startsWith("{") ? Json.mapper().readTree(text) : yaml(text);
      if (tree instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw unreadable("line " + line + ": " + e.getOriginalMessage());
    }
    throw unreadable("it holds no 'key: value' lines, such as 'command: [ls, -l]'");
  }

  private static JsonNode yaml(String text) throws JsonProcessingException {
    YAMLFactory factory =
        YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    return new YAMLMapper(factory).readTree(text);
  }

  private String text() {
    try {
      byte[] bytes =
          path.toString().equals("-") ? standardInput.readAllBytes() : Files.readAllBytes(path);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw Refusal.of(OPTION, "there is no readable file " + path);
    }
  }

  private MillraceException unknown(UnrecognizedPropertyException e) {
    List<String> known = e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList();
    String hint =
        NearestName.of(e.getPropertyName(), known)
            .map(near -> "did you mean '" + near + "'?")
            .orElse("known here: " + String.join(", ", known));
    return Refusal.of(OPTION, path + ": " + key(e) + ": unknown key; " + hint);
  }

  private MillraceException wrong(JsonMappingException e) {
    Throwable cause = e.getCause();
    boolean ours = cause instanceof MillraceException || cause instanceof IllegalArgumentException;
    String words = ours ? cause.getMessage() : e.getOriginalMessage();
    String key = key(e);
    return Refusal.of(OPTION, path + ": " + (key.isEmpty() ? "" : key + ": ") + words);
  }

  private MillraceException unreadable(String words) {
    return Refusal.of(OPTION, path + ": " + words);
  }

  private static String key(JsonMappingException e) {
    return e.getPath().stream()
        .map(
            part -> part.getFieldName() == null ? "[" + part.getIndex() + "]" : part.getFieldName())
        .collect(Collectors.joining("."))
        .replace(".[", "[");
  }

  /** What a file says, with what the options add to it or put in its place. Pure. */
  static final class Merged {
    private Merged() {}

    static <T> List<T> of(List<T> file, List<T> options) {
      List<T> all = new ArrayList<>(file);
      options.stream().filter(option -> !all.contains(option)).forEach(all::add);
      return all;
    }

    static <V> Map<String, V> of(Map<String, V> file, Map<String, V> options) {
      Map<String, V> all = new LinkedHashMap<>(file);
      all.putAll(options);
      return all;
    }

    /** The option if it was given. */
    static <T> T of(T file, T option) {
      return option == null ? file : option;
    }
  }
}
