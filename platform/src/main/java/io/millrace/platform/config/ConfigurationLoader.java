package io.millrace.platform.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a YAML file into a tree of records whose components are named like the keys.
 *
 * <p>A component is a String, int, long, double, boolean, Duration, DataSize, Path (relative to the
 * file's folder), URI, enum, List, Map with String keys, Optional or another record. A record may
 * declare {@code static R defaults()}; absent keys take the component of that value. Thread-safe.
 */
public final class ConfigurationLoader {

  private final ObjectReader yaml =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .build()
          .reader();

  /**
   * Reads the file.
   *
   * @throws MillraceException with CONFIGURATION and all problems of the file, each with the path
   *     of the key and what to do
   */
  public <R extends Record> R load(Path file, Class<R> type) {
    try {
      return parse(Files.readString(file), file, type);
    } catch (IOException failure) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "cannot read the configuration file " + file + "; check the path and its permissions",
          failure);
    }
  }

  /** Reads the text as if it were in that file; an empty text gives the defaults. */
  public <R extends Record> R parse(String text, Path file, Class<R> type) {
    FileFindings findings = new FileFindings(file);
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent() == null ? absolute : absolute.getParent();
    R result = new RecordBinder(findings, folder).read(tree(text, file), "", type, null);
    findings.throwIfAny();
    return result;
  }

  private JsonNode tree(String text, Path file) {
    try {
      JsonNode tree = yaml.readTree(text);
      if (tree == null || tree.isMissingNode() || tree.isNull()) {
        return JsonNodeFactory.instance.objectNode();
      }
      return tree;
    } catch (JsonProcessingException failure) {
      int line = failure.getLocation() == null ? 0 : failure.getLocation().getLineNr();
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          file + ", line " + line + ": not valid YAML: " + failure.getOriginalMessage(),
          failure);
    }
  }

  /**
   * What is wrong with one file, collected so that a user repairs it in one go. One thread only.
   */
  static final class FileFindings {

    private final Path file;
    private final List<String> problems = new ArrayList<>();

    FileFindings(Path file) {
      this.file = file;
    }

    /** Notes a problem; the text says what is wrong and what to do. */
    void add(String path, String text) {
      problems.add((path.isEmpty() ? "(top level)" : path) + ": " + text);
    }

    /** How many were found so far; a reader that compares before and after knows about its own. */
    int count() {
      return problems.size();
    }

    void throwIfAny() {
      if (problems.isEmpty()) {
        return;
      }
      String title = problems.size() == 1 ? "1 problem" : problems.size() + " problems";
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          title + " in " + file + ":\n  - " + String.join("\n  - ", problems));
    }
  }
}
