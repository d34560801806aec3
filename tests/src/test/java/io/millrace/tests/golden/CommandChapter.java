package io.millrace.tests.golden;

import io.millrace.api.client.UrlTransport;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Runs commands against the cluster of the scenario and keeps what they print. */
final class CommandChapter {
  /** Commands that are not run here, each with the reason. */
  static final Map<String, String> NOT_RUN =
      Map.ofEntries(
          Map.entry("up", "starts servers; tested with processes"),
          Map.entry("manager", "starts a server"),
          Map.entry("queue-node run", "starts a server"),
          Map.entry("load-balancer", "starts a server"),
          Map.entry("executor-node", "starts a server"),
          Map.entry("queue-node rescue", "reads the folder of a dead queue node"),
          Map.entry("backup verify", "reads a file; tested with damaged ones"),
          Map.entry("backup show", "reads a file; tested with damaged ones"),
          Map.entry("restore", "fills stopped servers; tested with processes"),
          Map.entry("join", "writes the files of a new machine"),
          Map.entry("token node", "writes the file of a new node"),
          Map.entry("identity list", "the nodes that other tests have made"),
          Map.entry("workflow run", "starts servers"),
          Map.entry("queue try", "runs a worker; what it prints is the worker's"),
          Map.entry("task try", "runs a worker; what it prints is the worker's"),
          Map.entry("simulate balance", "long; the rules are among the decisions"),
          Map.entry("simulate capacity", "long; the rules are among the decisions"),
          Map.entry("simulate pacing", "long; the rules are among the decisions"));

  private final Cluster cluster;
  private final Map<String, StringBuilder> files = new TreeMap<>();
  private final Set<String> ran = new HashSet<>();

  CommandChapter(Cluster cluster) {
    this.cluster = cluster;
  }

  /** The files, by name. */
  Map<String, String> files(Normalizer normalizer) {
    Map<String, String> texts = new LinkedHashMap<>();
    files.forEach((name, text) -> texts.put(name + ".txt", normalizer.line(text.toString())));
    return texts;
  }

  /** Commands that were neither run nor listed with a reason. */
  Set<String> missing() {
    Set<String> missing = new TreeSet<>();
    CommandTree.all()
        .forEach(
            (name, command) -> {
              String plain = name.replaceFirst("^millrace ?", "");
              if (command.getSubcommands().isEmpty()
                  && !plain.isEmpty()
                  && !NOT_RUN.containsKey(plain)
                  && !plain.startsWith("bench ")) {
                missing.add(plain);
              }
            });
    missing.removeIf(one -> ran.stream().anyMatch(line -> (line + " ").startsWith(one + " ")));
    return missing;
  }

  /** Runs a read-only command, with text and JSON output. */
  void shows(Normalizer normalizer, String line) {
    run(normalizer, line, "");
    run(normalizer, line + " --json", "");
  }

  /** Runs a command that makes a change, with JSON output. */
  void does(Normalizer normalizer, String line) {
    run(normalizer, line + " --json", "");
  }

  void run(Normalizer normalizer, String line, String input) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    Map<String, String> environment =
        Map.of(
            "HOME", "/nowhere",
            "MILLRACE_URL", cluster.address().toString(),
            "MILLRACE_TOKEN_FILE", cluster.tokenFile(Role.ADMIN).toString());
    List<String> words = new ArrayList<>(ShellQuoting.split(line));
    int code =
        Main.run(
            new Invocation(terminal, environment, new UrlTransport(), new SystemClock()),
            words.toArray(String[]::new));
    ran.add(line);
    StringBuilder text = files.computeIfAbsent(words.get(0), none -> new StringBuilder());
    text.append("$ millrace ").append(normalizer.line(line)).append('\n');
    append(normalizer, "", out, text);
    append(normalizer, "stderr: ", err, text);
    text.append(code == 0 ? "\n" : "exit code " + code + "\n\n");
  }

  private static void append(
      Normalizer normalizer, String mark, ByteArrayOutputStream printed, StringBuilder text) {
    String plain = printed.toString(StandardCharsets.UTF_8);
    boolean json = plain.startsWith("{") || plain.startsWith("[");
    String shown = json ? normalizer.body(null, plain) : normalizer.words(plain);
    shown
        .lines()
        // The width of a column depends on measured values.
        .map(
            line -> json ? line : line.replaceAll("^ +(?=<)", "").replaceAll("(?<=\\S) {2,}", "  "))
        .forEach(line -> text.append(mark).append(line.stripTrailing()).append('\n'));
  }
}
