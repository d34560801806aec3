package io.millrace.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Quotes and splits arguments as in a shell. */
public final class ShellQuoting {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private ShellQuoting() {}

  public static String of(List<String> arguments) {
    return arguments.stream().map(ShellQuoting::quoted).collect(Collectors.joining(" "));
  }

  /**
   * Splits a command line: quotes and backslashes as in a shell, nothing else.
   *
   * @throws IllegalArgumentException if a quote is not closed
   */
  public static List<String> split(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    char quote = 0;
    for (int i = 0; i < line.length(); i++) {
      char next = line.charAt(i);
      if (next == quote) {
        quote = 0;
      } else if (next == '\\' && quote != '\'' && i + 1 < line.length()) {
        word.append(line.charAt(++i));
        inWord = true;
      } else if (quote != 0) {
        word.append(next);
      } else if (next == '\'' || next == '"') {
        quote = next;
        inWord = true;
      } else if (!Character.isWhitespace(next)) {
        word.append(next);
        inWord = true;
      } else if (inWord) {
        words.add(word.toString());
        word.setLength(0);
        inWord = false;
      }
    }
    if (quote != 0) {
      throw new IllegalArgumentException("unclosed quote (" + quote + "); close it");
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }

  private static String quoted(String argument) {
    return PLAIN.matcher(argument).matches()
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
