package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

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
   * Where a field stands, for messages; an empty path means the document. The line of a field that
   * was left out is that of the nearest one around it.
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
