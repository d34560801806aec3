package io.millrace.api.workflow;

import io.millrace.api.Pure;
import io.millrace.api.job.JobSpec;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The rules by which {@code {NAME}} in the texts of a step's job stands for a value. Pure.
 *
 * <p>A name consists of ASCII letters, digits, dots, dashes and underscores, of which the first is
 * a letter or a digit. <code>{{</code> and <code>}}</code> stand for one brace each. Texts are read
 * from left to right, and values are not read again: braces in them mean nothing. Any other brace
 * stands for itself, so that <code>{print $1}</code> and <code>{}</code> need no care.
 */
@Pure
public final class Placeholders {
  private Placeholders() {}

  /** The names that a text contains, in the order in which they first occur. */
  public static Set<String> names(String text) {
    Set<String> names = new LinkedHashSet<>();
    replace(
        text,
        name -> {
          names.add(name);
          return null;
        },
        Integer.MAX_VALUE);
    return names;
  }

  /** The names that the texts of a job contain in which they stand for values. */
  public static Set<String> names(JobSpec job) {
    Set<String> names = new LinkedHashSet<>();
    List<String> argv = job.command() == null ? job.arguments() : job.command();
    argv.forEach(text -> names.addAll(names(text)));
    job.env().values().forEach(text -> names.addAll(names(text)));
    Stream.of(job.cwd(), job.stdin())
        .filter(Objects::nonNull)
        .forEach(text -> names.addAll(names(text)));
    return names;
  }

  /** The text with each name replaced by its value; names without a value stay as written. */
  public static String fill(String text, Map<String, String> values) {
    return replace(text, values::get, Integer.MAX_VALUE).orElseThrow();
  }

  /**
   * The text with each name replaced by its value, as {@link #fill(String, Map)}; a value may occur
   * any number of times, so no more than the limit is made.
   *
   * @param longest the most characters of the filled text
   * @return empty if it would have more
   */
  public static Optional<String> fill(String text, Map<String, String> values, int longest) {
    return replace(text, values::get, longest);
  }

  private static Optional<String> replace(String text, UnaryOperator<String> values, int longest) {
    if (text.indexOf('{') < 0 && text.indexOf('}') < 0) {
      return text.length() > longest ? Optional.empty() : Optional.of(text);
    }
    StringBuilder filled = new StringBuilder(text.length() + 32);
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean brace = c == '{' || c == '}';
      int end = c == '{' ? endOfName(text, at + 1) : 0;
      if (brace && at + 1 < text.length() && text.charAt(at + 1) == c) {
        filled.append(c);
        at += 2;
      } else if (end > 0) {
        String value = values.apply(text.substring(at + 1, end));
        String made = value == null ? text.substring(at, end + 1) : value;
        if (made.length() > longest - filled.length()) {
          return Optional.empty();
        }
        filled.append(made);
        at = end + 1;
      } else {
        filled.append(c);
        at++;
      }
    }
    return filled.length() > longest ? Optional.empty() : Optional.of(filled.toString());
  }

  /** The position of the brace that closes a name; 0 if no name starts here. */
  private static int endOfName(String text, int start) {
    int at = start;
    while (at < text.length()
        && (isLetterOrDigit(text.charAt(at)) || (at > start && isMark(text.charAt(at))))) {
      at++;
    }
    return at > start && at < text.length() && text.charAt(at) == '}' ? at : 0;
  }

  private static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  private static boolean isMark(char c) {
    return c == '.' || c == '-' || c == '_';
  }
}
