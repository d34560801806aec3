package io.millrace.cli.migration;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The command VARS of DAG files: {@code VARS NODE name="value" …}, with {@code \"} and {@code \\}
 * for quotes and backslashes within values.
 */
final class DagVariables {
  private static final Pattern START =
      Pattern.compile("VARS\\s+(\\S+)\\s*((?:PREPEND|APPEND)\\s+)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern NAME = Pattern.compile("\\s*([+A-Za-z_][\\w.+]*)\\s*=\\s*\"");

  private final String place;
  private final String line;
  private final ImportFindings findings;

  DagVariables(String place, String line, ImportFindings findings) {
    this.place = place;
    this.line = line;
    this.findings = findings;
  }

  /** Gives the variables to the nodes that a word means. */
  void apply(Function<String, List<DagNode>> named) {
    Matcher start = START.matcher(line);
    if (!start.lookingAt()) {
      findings.problem(place, "is incomplete; write 'VARS NODE name=\"value\"'");
      return;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    int at = start.end();
    do {
      at = variable(at, variables);
    } while (at >= 0 && at < line.length());
    named.apply(start.group(1)).forEach(node -> node.add(variables));
  }

  /** Reads one from a position on; returns that after it, or -1 if there is none. */
  private int variable(int from, Map<String, String> variables) {
    Matcher name = NAME.matcher(line).region(from, line.length());
    if (!name.lookingAt()) {
      findings.problem(
          place, "'%s': write name=\"value\", with the value in quotes", line.substring(from));
      return -1;
    }
    StringBuilder value = new StringBuilder();
    int at = name.end();
    while (at < line.length() && line.charAt(at) != '"') {
      boolean escaped =
          line.charAt(at) == '\\'
              && at + 1 < line.length()
              && (line.charAt(at + 1) == '"' || line.charAt(at + 1) == '\\');
      at += escaped ? 1 : 0;
      value.append(line.charAt(at++));
    }
    if (at == line.length()) {
      findings.problem(place, "the value of %s is not closed; add a quote", name.group(1));
      return -1;
    }
    if (name.group(1).startsWith("+") || name.group(1).toLowerCase(Locale.ROOT).startsWith("my.")) {
      findings.note(place, "VARS %s is not used: jobs have no such attributes", name.group(1));
    } else {
      variables.put(name.group(1).toLowerCase(Locale.ROOT), value.toString());
    }
    return at + 1;
  }
}
