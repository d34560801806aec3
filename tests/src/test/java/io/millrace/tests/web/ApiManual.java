package io.millrace.tests.web;

import io.millrace.tests.house.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables of docs/api.md: under a heading for each server, every route with its roles. */
record ApiManual(Map<String, Map<String, String>> routes) {
  private static final Map<String, String> HEADINGS =
      Map.of(
          "## Central manager", "manager",
          "## Queue node", "queue-node",
          "## Load balancer", "load-balancer",
          "## Execution node", "executor-node");
  private static final Pattern ROW = Pattern.compile("\\| `([A-Z]+ /[^`]*)` \\| ([a-z, -]+) \\|.*");

  static ApiManual read() throws IOException {
    Map<String, Map<String, String>> routes = new TreeMap<>();
    Map<String, String> rows = new TreeMap<>();
    List<String> lines = Files.readAllLines(SourceTree.root().resolve("docs/api.md"));
    for (String line : lines) {
      if (line.startsWith("## ")) {
        rows = new TreeMap<>();
        if (HEADINGS.containsKey(line)) {
          routes.put(HEADINGS.get(line), rows);
        }
      }
      Matcher row = ROW.matcher(line);
      if (row.matches() && rows.put(row.group(1), row.group(2)) != null) {
        throw new IllegalStateException("docs/api.md lists " + row.group(1) + " twice");
      }
    }
    return new ApiManual(routes);
  }
}
