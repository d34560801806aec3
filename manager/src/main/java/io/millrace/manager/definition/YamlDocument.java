package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One YAML document of a file. Every scalar is the text as written, so that an argument {@code
 * 1.10} stays {@code 1.10}; fields turn text into numbers where they want numbers.
 *
 * @param file the file's name
 * @param number of the document in its file, from 1
 * @param content as read
 * @param lines line of every field, by its path ({@code worker.command})
 */
record YamlDocument(String file, int number, JsonNode content, Map<String, Integer> lines) {
  YamlDocument {
    lines = Map.copyOf(lines);
  }

  /** Where a field stands, for messages; an empty path means the document. */
  String place(String path) {
    String document = file + ", document " + number;
    if (path.isEmpty()) {
      return document;
    }
    Integer line = lines.get(path);
    return document + ", " + path + (line == null ? "" : " (line " + line + ")");
  }
}
