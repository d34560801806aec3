package io.millrace.platform.document;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.millrace.api.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads YAML text with the line of every key. Keys given twice are refused, and so are aliases: the
 * parser would hand out their names as if they were text. Used once, by one thread.
 */
public final class YamlReader {
  private static final int MAX_DEPTH = 100;
  private static final int LONGEST_KEY = 1_000;
  // Far more than a file of definitions has.
  private static final int MAX_VALUES = 200_000;
  private static final YAMLFactory FACTORY =
      YAMLFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  // Lines are told in messages only, so that large documents need not remember all of them.
  private static final int MAX_LINES = 10_000;
  private static final int LONGEST_PATH = 500;
  private static final int MAX_ALIASES = 100;

  private final String file;
  private final boolean verbatim;
  private final String typedPath;
  private final List<String> problems;
  private Map<String, Integer> lines = new HashMap<>();
  private int aliases;
  private int values;

  private YamlReader(String file, boolean verbatim, String typedPath, List<String> problems) {
    this.file = file;
    this.verbatim = verbatim;
    this.typedPath = typedPath;
    this.problems = problems;
  }

  /**
   * Reads every document of a file, each scalar as the text that was written: an argument {@code
   * 1.10} stays {@code 1.10}. What cannot be read is added to the problems.
   */
  public static List<YamlDocument> verbatim(String file, String text, List<String> problems) {
    return verbatim(file, text, null, problems);
  }

  /**
   * The same, except for what is at and below one path: there a plain scalar is what the core
   * schema of YAML 1.2 says ({@link CoreScalar}), as in JSON.
   *
   * @param typedPath such as {@code sessions.schema}; null for none
   */
  public static List<YamlDocument> verbatim(
      String file, String text, String typedPath, List<String> problems) {
    List<YamlDocument> documents = new ArrayList<>();
    new YamlReader(file, true, typedPath, problems).read(text, documents);
    return documents;
  }

  /**
   * Reads the first document of a file, its scalars as numbers, truth values or text; no document
   * is an empty one. What cannot be read is added to the problems.
   */
  public static YamlDocument typed(String file, String text, List<String> problems) {
    List<YamlDocument> documents = new ArrayList<>();
    new YamlReader(file, false, null, problems).read(text, documents);
    return documents.isEmpty()
        ? new YamlDocument(file, 0, JsonNodeFactory.instance.objectNode(), Map.of())
        : documents.get(0);
  }

  private void read(String text, List<YamlDocument> documents) {
    try (YAMLParser parser = FACTORY.createParser(text)) {
      documents(parser, documents);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      problems.add(
          file
              + (verbatim ? ", document " + (documents.size() + 1) : "")
              + ", line "
              + line
              + ": not valid YAML: "
              + firstLine(Json.syntax(e)));
    } catch (IOException e) {
      throw new IllegalStateException("text in memory is always readable", e);
    }
  }

  private void documents(YAMLParser parser, List<YamlDocument> documents) throws IOException {
    int number = 1;
    while (!parser.isClosed()) {
      JsonToken token = parser.nextToken();
      if (token == null) {
        // Null means the end of a document as well as of the file.
        continue;
      }
      lines = new HashMap<>();
      lines.put("", line(parser));
      JsonNode content = value(parser, "", number, false);
      // A document of comments only is read as empty text.
      if (!content.isNull() && !(content.isTextual() && content.textValue().isEmpty())) {
        documents.add(new YamlDocument(file, verbatim ? number : 0, content, lines));
      }
      number++;
    }
  }

  private JsonNode value(YAMLParser parser, String path, int document, boolean typedAround)
      throws IOException {
    if (++values > MAX_VALUES) {
      throw new JsonParseException(
          parser, "more than " + MAX_VALUES + " values; one file must have fewer");
    }
    if (parser.isCurrentAlias() && aliases++ < MAX_ALIASES) {
      problems.add(
          file
              + (verbatim ? ", document " + document : "")
              + (path.isEmpty() ? "" : ", " + path)
              + " (line "
              + line(parser)
              + "): anchors and aliases are not supported; repeat the value");
    }
    boolean typed = typedAround || path.equals(typedPath);
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, path, document, typed);
      case START_ARRAY -> array(parser, path, document, typed);
      case VALUE_NULL -> JsonNodeFactory.instance.nullNode();
      // Quoted and folded scalars are always texts.
      case VALUE_STRING -> JsonNodeFactory.instance.textNode(parser.getText());
      default -> typed ? CoreScalar.of(parser.getText()) : scalar(parser);
    };
  }

  private JsonNode scalar(YAMLParser parser) throws IOException {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (verbatim) {
      return nodes.textNode(parser.getText());
    }
    return switch (parser.currentToken()) {
      case VALUE_NUMBER_INT -> integer(parser);
      case VALUE_NUMBER_FLOAT -> nodes.numberNode(parser.getDoubleValue());
      case VALUE_TRUE -> nodes.booleanNode(true);
      case VALUE_FALSE -> nodes.booleanNode(false);
      default -> nodes.textNode(parser.getText());
    };
  }

  private static JsonNode integer(YAMLParser parser) throws IOException {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    return switch (parser.getNumberType()) {
      case INT -> nodes.numberNode(parser.getIntValue());
      case LONG -> nodes.numberNode(parser.getLongValue());
      default -> nodes.numberNode(parser.getBigIntegerValue());
    };
  }

  private ObjectNode object(YAMLParser parser, String path, int document, boolean typed)
      throws IOException {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      if (key.length() > LONGEST_KEY) {
        throw new JsonParseException(
            parser, "a key of " + key.length() + " characters; at most " + LONGEST_KEY);
      }
      String inner = noted(parser, path, path.isEmpty() ? key : "." + key);
      parser.nextToken();
      object.set(key, value(parser, inner, document, typed));
    }
    return object;
  }

  private ArrayNode array(YAMLParser parser, String path, int document, boolean typed)
      throws IOException {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      String inner = noted(parser, path, "[" + array.size() + "]");
      array.add(value(parser, inner, document, typed));
    }
    return array;
  }

  /** The path of a key or element, whose line is noted; that around it if it is too long. */
  private String noted(YAMLParser parser, String path, String last) {
    if (path.length() + last.length() > LONGEST_PATH) {
      return path;
    }
    String inner = path + last;
    if (lines.size() < MAX_LINES) {
      lines.put(inner, line(parser));
    }
    return inner;
  }

  private static int line(JsonParser parser) {
    return parser.currentTokenLocation().getLineNr();
  }

  // What is wrong comes after what the parser was doing ("while ...") and where (indented).
  private static String firstLine(String message) {
    List<String> all = message.strip().lines().toList();
    return all.stream()
        .filter(line -> !line.startsWith("while ") && !line.startsWith(" "))
        .findFirst()
        .orElse(all.isEmpty() ? "not readable as YAML" : all.get(0));
  }

  /**
   * One YAML document of a file.
   *
   * @param file the file's name
   * @param number of the document in its file, from 1; 0 if that is not to be told
   * @param content as read
   * @param lines line of every key and element (of a very large document, the first 10,000), by its
   *     path ({@code worker.command[0]}), and of the document, by the empty path
   */
  public record YamlDocument(
      String file, int number, JsonNode content, Map<String, Integer> lines) {
    public YamlDocument {
      lines = Map.copyOf(lines);
    }

    /**
     * The place of a key, for messages; an empty path means the document. The line of a key that is
     * absent is that of the nearest one around it.
     */
    public String place(String path) {
      return file
          + (number == 0 ? "" : ", document " + number)
          + (path.isEmpty() ? "" : ", " + path)
          + line(path).map(line -> " (line " + line + ")").orElse("");
    }

    /** A violated rule after its place; the rule's text begins with its path, shown once. */
    public String violation(String rule) {
      int space = rule.indexOf(' ');
      String path = written((space < 0 ? rule : rule.substring(0, space)).replaceFirst(":$", ""));
      String repeated = path + ": ";
      boolean named = !path.isEmpty() && rule.startsWith(repeated);
      return place(path) + ": " + (named ? rule.substring(repeated.length()) : rule);
    }

    /** The line of a key, or of the nearest one around it. */
    public Optional<Integer> line(String path) {
      return Optional.ofNullable(lines.get(written(path)));
    }

    private String written(String path) {
      String known = path;
      while (!known.isEmpty() && !lines.containsKey(known)) {
        known =
            known.substring(
                0, Math.max(0, Math.max(known.lastIndexOf('.'), known.lastIndexOf('['))));
      }
      return known;
    }
  }
}
