package io.millrace.cli.migration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads arguments and environments as HTCondor writes them: the old syntax separates them by spaces
 * or semicolons; the new one, all of it in double quotes, groups with single quotes and doubles
 * quotes to mean them. Pure.
 */
final class SubmitArguments {
  private SubmitArguments() {}

  /**
   * The words of {@code arguments = …}.
   *
   * @throws IllegalArgumentException with what to do if quotes are not closed
   */
  static List<String> arguments(String written) {
    String text = written.strip();
    return isNew(text) ? grouped(inside(text)) : old(text);
  }

  /**
   * The variables of {@code environment = …}.
   *
   * @throws IllegalArgumentException with what to do if it is not a list of assignments
   */
  static Map<String, String> environment(String written) {
    String text = written.strip();
    List<String> assignments = isNew(text) ? grouped(inside(text)) : List.of(text.split(";", -1));
    Map<String, String> variables = new LinkedHashMap<>();
    for (String one : assignments) {
      if (!one.isBlank()) {
        int equals = one.indexOf('=');
        if (equals < 1) {
          throw new IllegalArgumentException(
              "'" + one.strip() + "' is not NAME=value; quote values with spaces: \"A='b c'\"");
        }
        variables.put(one.substring(0, equals).strip(), one.substring(equals + 1));
      }
    }
    return variables;
  }

  private static boolean isNew(String text) {
    return text.startsWith("\"");
  }

  private static String inside(String text) {
    if (text.length() < 2 || !text.endsWith("\"")) {
      throw new IllegalArgumentException("the double quote at its begin is not closed; close it");
    }
    return text.substring(1, text.length() - 1).replace("\"\"", "\"");
  }

  private static List<String> old(String text) {
    List<String> words = new ArrayList<>();
    for (String word : text.split("\\s+", -1)) {
      if (!word.isEmpty()) {
        words.add(word.replace("\\\"", "\""));
      }
    }
    return words;
  }

  private static List<String> grouped(String text) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next == '\'' && quoted && i + 1 < text.length() && text.charAt(i + 1) == '\'') {
        word.append(next);
        i++;
      } else if (next == '\'') {
        quoted = !quoted;
        inWord = true;
      } else if (quoted || !Character.isWhitespace(next)) {
        word.append(next);
        inWord = true;
      } else if (inWord) {
        words.add(word.toString());
        word.setLength(0);
        inWord = false;
      }
    }
    if (quoted) {
      throw new IllegalArgumentException("a single quote is not closed; close it, or double it");
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }
}
