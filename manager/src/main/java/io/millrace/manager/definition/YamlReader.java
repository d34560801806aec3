package io.millrace.manager.definition;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the YAML documents of one file with their scalars verbatim. Aliases are refused: the parser
 * would hand out their names as if they were text. Used once, by one thread.
 */
final class YamlReader {
  private static final YAMLFactory FACTORY =
      YAMLFactory.builder()
          .enable(com.fasterxml.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final SourceFile file;
  private final List<String> problems;
  private Map<String, Integer> lines = new HashMap<>();

  private YamlReader(SourceFile file, List<String> problems) {
    this.file = file;
    this.problems = problems;
  }

  /** Reads every document; what cannot be read is added to the problems. */
  static List<YamlDocument> read(SourceFile file, List<String> problems) {
    List<YamlDocument> documents = new ArrayList<>();
    try (YAMLParser parser = FACTORY.createParser(file.text())) {
      new YamlReader(file, problems).documents(parser, documents);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      problems.add(
          file.name()
              + ", document "
              + (documents.size() + 1)
              + ", line "
              + line
              + ": "
              + firstLine(e.getOriginalMessage()));
    } catch (IOException e) {
      throw new IllegalStateException("text in memory is always readable", e);
    }
    return documents;
  }

  private void documents(YAMLParser parser, List<YamlDocument> documents) throws IOException {
    int number = 1;
    while (!parser.isClosed()) {
      JsonToken token = parser.nextToken();
      if (token == null) {
        // Null stands for the end of a document as well as of the file.
        continue;
      }
      lines = new HashMap<>();
      lines.put("", line(parser));
      JsonNode content = value(parser, "", number);
      // A document of remarks only is read as empty text.
      if (!content.isNull() && !(content.isTextual() && content.textValue().isEmpty())) {
        documents.add(new YamlDocument(file.name(), number, content, lines));
      }
      number++;
    }
  }

  private JsonNode value(YAMLParser parser, String path, int document) throws IOException {
    if (parser.isCurrentAlias()) {
      problems.add(
          new YamlDocument(file.name(), document, JsonNodeFactory.instance.nullNode(), lines)
                  .place(path)
              + ": anchors and aliases are not read; write the value out");
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, path, document);
      case START_ARRAY -> array(parser, path, document);
      case VALUE_NULL -> JsonNodeFactory.instance.nullNode();
      default -> JsonNodeFactory.instance.textNode(parser.getText());
    };
  }

  private ObjectNode object(YAMLParser parser, String path, int document) throws IOException {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      String inner = path.isEmpty() ? key : path + "." + key;
      lines.put(inner, line(parser));
      parser.nextToken();
      object.set(key, value(parser, inner, document));
    }
    return object;
  }

  private ArrayNode array(YAMLParser parser, String path, int document) throws IOException {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser, path, document));
    }
    return array;
  }

  private static int line(JsonParser parser) {
    return parser.currentTokenLocation().getLineNr();
  }

  private static String firstLine(String words) {
    return words.strip().lines().findFirst().orElse("not readable as YAML");
  }

  /**
   * One YAML document of a file. Every scalar is the text as written, so that an argument {@code
   * 1.10} stays {@code 1.10}; fields turn text into numbers where they want numbers.
   *
   * @param file the file's name
   * @param number of the document in its file, from 1; 0 for text that is no file
   * @param content as read
   * @param lines line of every field, by its path ({@code worker.command}), and of the document, by
   *     the empty path
   */
  record YamlDocument(String file, int number, JsonNode content, Map<String, Integer> lines) {
    YamlDocument {
      lines = Map.copyOf(lines);
    }

    /**
     * Where a field stands, for messages; an empty path means the document. The line of a field
     * that was left out is that of the nearest one around it.
     */
    String place(String path) {
      Integer line = lines.get(written(path));
      return file
          + (number == 0 ? "" : ", document " + number)
          + (path.isEmpty() ? "" : ", " + path)
          + (line == null ? "" : " (line " + line + ")");
    }

    /** Where the field stands that a rule is about; the rule's words begin with its path. */
    String placeOfRule(String rule) {
      int space = rule.indexOf(' ');
      return place(written((space < 0 ? rule : rule.substring(0, space)).replaceFirst(":$", "")));
    }

    private String written(String path) {
      String known = path;
      while (!known.isEmpty() && !lines.containsKey(known)) {
        known = known.substring(0, Math.max(0, known.lastIndexOf('.')));
      }
      return known;
    }
  }
}
