package io.millrace.cli.migration;

import io.millrace.cli.migration.DagNode.DagMembers;
import io.millrace.cli.migration.DagNode.DagPlace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Reads one DAG file and those that it includes. Used once, by one thread. */
final class DagLines {
  private final DagmanFile dag;
  private final DagCommands commands;
  private final ImportFindings findings;
  private final Path file;
  private final String shown;
  private final Path folder;
  private final DagScope scope;
  private final Map<String, SubmitDescription> inline = new LinkedHashMap<>();
  private final Map<String, Integer> maxJobs = new LinkedHashMap<>();
  private DescriptionBlock block;
  // The file is read a second time for what it says about nodes, which may come before them.
  private boolean again;

  /**
   * A reader.
   *
   * @param dag that the file belongs to
   * @param shown the file's name in messages
   * @param folder against which paths in the file are resolved
   * @param prefix of its nodes' names
   */
  DagLines(
      DagmanFile dag,
      DagCommands commands,
      ImportFindings findings,
      Path file,
      String shown,
      Path folder,
      String prefix) {
    this.dag = dag;
    this.commands = commands;
    this.findings = findings;
    this.file = file;
    this.shown = shown;
    this.folder = folder;
    this.scope = new DagScope(prefix, findings);
  }

  /**
   * Reads it.
   *
   * @param rescue whether its newest rescue DAG is read too
   */
  DagMembers read(boolean rescue) {
    boolean complete = dag.eachLine(file, shown, this::line);
    if (block != null) {
      findings.problem(
          block.place.toString(), "the description in braces is not closed; add a line '}'");
    } else if (complete) {
      again = true;
      dag.eachLine(file, shown, this::line);
    }
    scope.own().stream()
        .filter(node -> node.category != null)
        .forEach(node -> node.maxJobs = maxJobs.get(node.category));
    if (rescue) {
      RescueDag.newest(file).ifPresent(this::rescue);
    }
    List<DagNode> all = scope.all();
    all.removeIf(node -> node.last);
    if (all.isEmpty()) {
      findings.problem(shown, "has no JOB; is this a DAG file?");
    }
    return DagMembers.of(all);
  }

  private void rescue(String suffix) {
    RescueDag marks = new RescueDag(scope, findings);
    int[] done = new int[1];
    dag.eachLine(
        file.resolveSibling(file.getFileName() + suffix),
        shown + suffix,
        (place, line) -> done[0] += marks.mark(place.toString(), line));
    findings.note(
        shown + suffix, "%d nodes are done and left out; --no-rescue runs all of them", done[0]);
  }

  private void line(DagPlace at, String line) {
    if (block != null) {
      if (line.equals("}")) {
        DescriptionBlock complete = block;
        block = null;
        complete.user.accept(complete);
      } else {
        block.lines.add(line);
      }
      return;
    }
    if (line.isEmpty() || line.startsWith("#")) {
      return;
    }
    List<String> words = DagmanFile.words(line);
    String command = words.get(0).toUpperCase(Locale.ROOT);
    if (again) {
      second(at, command, words, line);
    } else if (!DagCommands.knows(command)) {
      first(at, command, words);
    }
  }

  private void second(DagPlace at, String command, List<String> words, String line) {
    if (DagCommands.knows(command)) {
      commands.apply(scope, at.toString(), line);
    } else if (command.equals("INCLUDE") && words.size() > 1) {
      Path path = dag.resolved(at.toString(), folder, words.get(1));
      if (!dag.isOpen(path)) {
        dag.include(at, path, this::line);
      }
    } else if (line.endsWith("{")) {
      block = new DescriptionBlock(at, new ArrayList<>(), read -> {});
    }
  }

  private void first(DagPlace at, String command, List<String> words) {
    String place = at.toString();
    switch (command) {
      case "JOB", "NODE", "FINAL" -> job(at, words);
      case "SUBDAG" -> subdag(at, words);
      case "SPLICE" -> splice(at, words);
      case "SUBMIT-DESCRIPTION" -> description(at, words);
      case "INCLUDE" -> include(at, words);
      case "MAXJOBS" -> {
        if (commands.has(place, words, 3, "MAXJOBS CATEGORY NUMBER")) {
          maxJobs.put(words.get(1), commands.number(place, words.get(2), 1, Integer.MAX_VALUE));
        }
      }
      case "CONFIG",
          "DOT",
          "NODE_STATUS_FILE",
          "JOBSTATE_LOG",
          "SAVE_POINT_FILE",
          "SET_JOB_ATTR",
          "ENV" ->
          findings.note(place, "%s is not used", command);
      case "REJECT" ->
          findings.problem(place, "REJECT: the file says that it must not be run; remove it");
      case "SERVICE", "PROVISIONER", "CONNECT", "PIN_IN", "PIN_OUT" ->
          findings.problem(
              place,
              "%s has no equivalent; remove it, and write what it is for as JOB and PARENT",
              command);
      default ->
          findings.problem(
              place, "'%s' is not a command of DAG files; correct or remove it", words.get(0));
    }
  }

  // JOB name file [DIR folder] [NOOP] [DONE]
  private void job(DagPlace at, List<String> words) {
    String place = at.toString();
    if (!commands.has(place, words, 3, words.get(0) + " NAME FILE [DIR FOLDER] [NOOP] [DONE]")) {
      return;
    }
    String name = words.get(1);
    Path directory = folder;
    boolean noop = false;
    boolean done = false;
    boolean braces = words.get(2).equals("{");
    for (int i = 3; i < words.size(); i++) {
      switch (words.get(i).toUpperCase(Locale.ROOT)) {
        case "NOOP" -> noop = true;
        case "DONE" -> done = true;
        case "DIR" -> {
          if (commands.has(place, words, i + 2, "JOB NAME FILE DIR FOLDER")) {
            directory = dag.resolved(place, folder, words.get(++i));
          }
        }
        default ->
            findings.problem(
                place, "'%s' is not known here; use DIR FOLDER, NOOP or DONE", words.get(i));
      }
    }
    DagNode node = dag.counted(scope.add(at, name, directory));
    node.noop = noop;
    node.done = done;
    node.last = words.get(0).equalsIgnoreCase("FINAL");
    if (node.last
        && (!scope.prefix.isEmpty() || scope.own().stream().filter(one -> one.last).count() > 1)) {
      findings.problem(
          place, "FINAL is possible once, in the outermost file; write it as JOB and PARENT");
    }
    if (braces) {
      block = new DescriptionBlock(at, new ArrayList<>(), read -> node.job = described(read));
    } else if (!noop && !done) {
      Path description = dag.resolved(place, directory, words.get(2));
      node.job =
          inline.containsKey(words.get(2))
              ? inline.get(words.get(2))
              : dag.described(place, words.get(2), description);
    }
  }

  private void description(DagPlace at, List<String> words) {
    String place = at.toString();
    if (commands.has(place, words, 3, "SUBMIT-DESCRIPTION NAME {") && words.get(2).equals("{")) {
      block =
          new DescriptionBlock(
              at, new ArrayList<>(), read -> inline.put(words.get(1), described(read)));
    } else {
      findings.problem(place, "the description must follow in braces: 'NAME {'");
    }
  }

  // SUBDAG EXTERNAL name file [DIR folder] [NOOP] [DONE]
  private void subdag(DagPlace at, List<String> words) {
    String place = at.toString();
    if (!commands.has(place, words, 4, "SUBDAG EXTERNAL NAME FILE [DIR FOLDER]")) {
      return;
    }
    boolean done = words.subList(4, words.size()).stream().anyMatch("DONE"::equalsIgnoreCase);
    boolean noop = words.subList(4, words.size()).stream().anyMatch("NOOP"::equalsIgnoreCase);
    if (done || noop) {
      DagNode node = dag.counted(scope.add(at, words.get(2), folder));
      node.noop = true;
      node.done = done;
    } else {
      nested(at, words.get(2), words.get(3), words.subList(4, words.size()));
    }
  }

  // SPLICE name file [DIR folder]
  private void splice(DagPlace at, List<String> words) {
    String place = at.toString();
    if (commands.has(place, words, 3, "SPLICE NAME FILE [DIR FOLDER]")) {
      nested(at, words.get(1), words.get(2), words.subList(3, words.size()));
    }
  }

  private void nested(DagPlace at, String name, String written, List<String> rest) {
    Path base = folder;
    String place = at.toString();
    if (rest.size() == 2 && rest.get(0).equalsIgnoreCase("DIR")) {
      base = dag.resolved(place, folder, rest.get(1));
    } else if (!rest.isEmpty()) {
      findings.problem(place, "'%s' is not known here; use DIR FOLDER", rest.get(0));
    }
    Path path = dag.resolved(place, base, written);
    List<DagNode> inner = new ArrayList<>();
    DagMembers members =
        dag.readDag(path, dag.shownAs(path), base, scope.prefix + name + "+", inner);
    scope.add(at, name, members, inner);
  }

  private void include(DagPlace at, List<String> words) {
    String place = at.toString();
    if (!commands.has(place, words, 2, "INCLUDE FILE")) {
      return;
    }
    Path path = dag.resolved(place, folder, words.get(1));
    dag.include(at, path, this::line);
  }

  private SubmitDescription described(DescriptionBlock read) {
    return SubmitDescription.read(shown, read.lines, read.place.line() + 1, findings);
  }

  /** A description in braces that is being read. */
  private record DescriptionBlock(
      DagPlace place, List<String> lines, Consumer<DescriptionBlock> user) {}
}
