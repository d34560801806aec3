package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code NAME=value} lines. Pure.
 *
 * <p>Blank lines and those that begin with {@code #} are skipped, and so is {@code export} before a
 * name. Between single quotes everything is taken as it is; between double quotes {@code \n},
 * {@code \t}, {@code \"}, {@code \\} and {@code \$} are read as in C; without quotes the value ends
 * before a blank with {@code #} behind it. Nothing is expanded. Complaints name the line and never
 * repeat it: it may hold a password.
 */
final class EnvironmentFile {
  private static final Pattern LINE =
      Pattern.compile("(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)\\s*=\\s*(.*)");
  private static final Pattern SINGLE = Pattern.compile("'([^']*)'\\s*(?:#.*)?");
  private static final Pattern DOUBLE = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"\\s*(?:#.*)?");
  private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");

  private EnvironmentFile() {}

  /**
   * The variables; the last of a name counts.
   *
   * @param name of the file, for complaints
   */
  static Map<String, String> parse(String name, List<String> lines) {
    Map<String, String> variables = new HashMap<>();
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      Matcher parts = LINE.matcher(line);
      if (!parts.matches()) {
        throw wrong(name, number, "write NAME=value, a comment behind # or nothing");
      }
      variables.put(parts.group(1), value(name, number, parts.group(2)));
    }
    return variables;
  }

  private static String value(String name, int number, String text) {
    Matcher single = SINGLE.matcher(text);
    if (single.matches()) {
      return single.group(1);
    }
    Matcher twice = DOUBLE.matcher(text);
    if (twice.matches()) {
      return ESCAPE
          .matcher(twice.group(1))
          .replaceAll(found -> Matcher.quoteReplacement(unescaped(found.group(1))));
    }
    if (text.startsWith("'") || text.startsWith("\"")) {
      throw wrong(name, number, "end the value with the quote that it begins with");
    }
    if (text.startsWith("#")) {
      return "";
    }
    return text.replaceFirst("\\s+#.*", "").strip();
  }

  private static String unescaped(String letter) {
    return switch (letter) {
      case "n" -> "\n";
      case "t" -> "\t";
      case "\"", "\\", "$" -> letter;
      default -> "\\" + letter;
    };
  }

  private static MillraceException wrong(String name, int number, String fix) {
    return new MillraceException(
        ErrorCode.CONFIGURATION, "envFile " + name + ", line " + number + ": " + fix);
  }
}
