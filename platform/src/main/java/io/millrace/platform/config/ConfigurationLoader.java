package io.millrace.platform.config;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.WebAddress;
import io.millrace.platform.document.DocumentBinder;
import io.millrace.platform.document.DocumentBinder.Absent;
import io.millrace.platform.document.DocumentBinder.Binding;
import io.millrace.platform.document.DocumentBinder.BindingProblem;
import io.millrace.platform.document.DocumentBinder.Values;
import io.millrace.platform.document.YamlReader;
import io.millrace.platform.document.YamlReader.YamlDocument;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads a YAML file into a tree of records whose components are named like the keys.
 *
 * <p>A component is a String, int, long, double, boolean, Duration, DataSize, Path (relative to the
 * file's folder), URI, enum, List, Map with String keys, Optional or another record. A record may
 * declare {@code static R defaults()}; absent keys take the component of that value. Thread-safe.
 */
public final class ConfigurationLoader {
  private static final JsonMapper MAPPER =
      Json.mapper().rebuild().enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS).build();

  /** Keys of earlier versions that are no longer known, with what to do. */
  private static final Map<String, String> FORMER_KEYS =
      Map.of(
          "tokenFile",
          "unknown key; joined nodes have an identity now: run 'millrace join' with the --data"
              + " of this node (the node keeps its data), or only delete the key where the"
              + " cluster's key is beside publicKeyFile; see docs/operations.md#upgrading");

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
    List<String> unreadable = new ArrayList<>();
    YamlDocument document = YamlReader.typed(file.toString(), text, unreadable);
    if (!unreadable.isEmpty()) {
      throw new MillraceException(ErrorCode.CONFIGURATION, String.join("\n", unreadable));
    }
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent() == null ? absolute : absolute.getParent();
    Binding<R> binding =
        new DocumentBinder(MAPPER, Absent.DEFAULT_OR_PROBLEM, new ConfigurationValues(folder))
            .bind(document.content(), type);
    return binding.value().orElseThrow(() -> refused(document, binding));
  }

  private static MillraceException refused(YamlDocument document, Binding<?> binding) {
    int count = binding.problems().size();
    String title =
        count == 1 ? "1 problem" : (binding.truncated() ? "over " : "") + count + " problems";
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        title
            + " in "
            + document.file()
            + ":\n  - "
            + binding.problems().stream()
                .map(problem -> described(document, problem))
                .collect(Collectors.joining("\n  - ")));
  }

  private static String described(YamlDocument document, BindingProblem problem) {
    String path = problem.path().isEmpty() ? "(top level)" : problem.path();
    String line = document.line(problem.path()).map(number -> " (line " + number + ")").orElse("");
    boolean former = problem.text().startsWith("unknown key") && FORMER_KEYS.containsKey(path);
    return path + line + ": " + (former ? FORMER_KEYS.get(path) : problem.text());
  }

  /**
   * Reads single values strictly: YAML has read 0644 or 1e3 as a number and its text is lost, so
   * that only quantities may do without quotes.
   */
  private static final class ConfigurationValues implements Values {
    private final Map<Class<?>, Function<String, ?>> texts;

    ConfigurationValues(Path folder) {
      texts =
          Map.of(
              String.class, text -> text,
              Duration.class, Durations::parse,
              DataSize.class, DataSize::parse,
              Path.class, text -> folder.resolve(text).normalize(),
              URI.class, WebAddress::parse);
    }

    @Override
    public Object read(JsonNode node, JavaType target) {
      Class<?> type = target.getRawClass();
      if (type == int.class || type == Integer.class) {
        return node.isIntegralNumber() && node.canConvertToInt() ? node.intValue() : null;
      }
      if (type == long.class || type == Long.class) {
        return node.isIntegralNumber() && node.canConvertToLong() ? node.longValue() : null;
      }
      if (type == double.class || type == Double.class) {
        return node.isNumber() ? node.doubleValue() : null;
      }
      if (type == boolean.class || type == Boolean.class) {
        return node.isBoolean() ? node.booleanValue() : null;
      }
      return type.isEnum() ? constant(node, type) : text(node, type);
    }

    private static Object constant(JsonNode node, Class<?> type) {
      return Arrays.stream(type.getEnumConstants())
          .filter(constant -> constant.toString().equalsIgnoreCase(node.asText()))
          .findFirst()
          .orElse(null);
    }

    private Object text(JsonNode node, Class<?> type) {
      Function<String, ?> reader = texts.get(type);
      if (reader == null) {
        throw new IllegalStateException("configuration records cannot hold " + type);
      }
      boolean plainNumber =
          node.isIntegralNumber() && (type == DataSize.class || type == Duration.class);
      if (!node.isTextual() && !plainNumber) {
        throw new IllegalArgumentException("expected a string; put it in quotes, found " + node);
      }
      return reader.apply(node.asText());
    }
  }
}
