package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.cli.migration.DagNode.DagMembers;
import io.millrace.cli.migration.DagNode.DagPlace;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * A DAG input file of HTCondor's DAGMan, with the submit descriptions, DAGs and rescue DAG that
 * belong to it. DAGs within it become part of the same graph; their nodes have names such as {@code
 * OUTER+inner}. Used once, by one thread.
 */
public final class DagmanFile {
  static final DataSize LARGEST = new DataSize(256L << 20);
  private static final DataSize LARGEST_DESCRIPTION = new DataSize(1L << 20);
  private static final int MAX_DEPTH = 32;
  private static final int MAX_FILES = 100_000;

  private final UnaryOperator<String> environment;
  private final boolean rescue;
  private final ImportFindings findings;
  private final Map<Path, SubmitDescription> descriptions = new LinkedHashMap<>();
  private final List<DagNode> nodes = new ArrayList<>();
  private final List<Path> open = new ArrayList<>();
  private final DagCommands commands;
  private String shownFile;
  private Path mainFolder;
  private int filesRead;

  /**
   * A reader.
   *
   * @param environment gives the variables that submit descriptions name; null for none
   * @param rescue whether nodes that the newest rescue DAG marks as done are left out
   */
  public DagmanFile(UnaryOperator<String> environment, boolean rescue, ImportFindings findings) {
    this.environment = environment;
    this.rescue = rescue;
    this.findings = findings;
    this.commands = new DagCommands(findings);
  }

  /** Reads it; what it returns is only complete if the findings have no problems. */
  public ImportedWorkflow read(Path file) {
    shownFile = file.toString();
    mainFolder = file.toAbsolutePath().normalize().getParent();
    readDag(file, shownFile, mainFolder, "", new ArrayList<>());
    String name = file.getFileName().toString().replaceFirst("(?i)\\.dag$", "");
    return new DagSteps(environment, findings)
        .workflow(shownFile, StepTemplates.name(name, "dag"), commands.failFast(), nodes);
  }

  /**
   * Reads a DAG file.
   *
   * @param shown its name in messages
   * @param folder against which its paths are resolved
   * @param prefix of its nodes' names
   * @param read receives its nodes
   */
  DagMembers readDag(Path file, String shown, Path folder, String prefix, List<DagNode> read) {
    int before = nodes.size();
    DagMembers[] members = {new DagMembers(List.of(), List.of())};
    nested(
        shown,
        file,
        () ->
            members[0] =
                new DagLines(this, commands, findings, file, shown, folder, prefix).read(rescue));
    read.addAll(nodes.subList(before, nodes.size()));
    return members[0];
  }

  /** Whether a file is being read, and cannot be included. */
  boolean isOpen(Path file) {
    return open.contains(file.toAbsolutePath().normalize());
  }

  /** Reads the lines of a file in the place of the line that includes it. */
  void include(DagPlace place, Path file, BiConsumer<DagPlace, String> line) {
    nested(place.toString(), file, () -> eachLine(file, shownAs(file), line));
  }

  private void nested(String place, Path file, Runnable reading) {
    Path real = file.toAbsolutePath().normalize();
    if (open.contains(real) || open.size() == MAX_DEPTH) {
      findings.problem(
          place,
          "%s contains itself, or files are nested more than %d times",
          shownAs(real),
          MAX_DEPTH);
      return;
    }
    open.add(real);
    reading.run();
    open.remove(real);
  }

  /** Counts a node that was added. */
  DagNode counted(DagNode node) {
    nodes.add(node);
    if (nodes.size() == ImportedWorkflow.MAX_STEPS + 1) {
      findings.problem(
          node.place(), "more than %d nodes; split the DAG", ImportedWorkflow.MAX_STEPS);
    }
    return node;
  }

  /** Calls back for each line, with its place; returns false if the file has been refused. */
  boolean eachLine(Path file, String shown, BiConsumer<DagPlace, String> line) {
    // A file that includes two others, each of which includes two, and so on, is soon without end.
    if (++filesRead > MAX_FILES) {
      if (filesRead == MAX_FILES + 1) {
        findings.problem(shown, "more than %d files are read for this DAG", MAX_FILES);
      }
      return false;
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      findings.problem(shown, "is not a regular file");
      return false;
    }
    try {
      if (Files.size(file) > LARGEST.bytes()) {
        findings.problem(
            shown, "is larger than %s; import parts of it as separate workflows", LARGEST);
        return false;
      }
      try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        int number = 0;
        for (String text = reader.readLine(); text != null; text = reader.readLine()) {
          DagPlace place = new DagPlace(shown, ++number);
          if (text.indexOf('\0') >= 0) {
            findings.problem(place.toString(), "contains a NUL character; is this a DAG file?");
            return false;
          }
          line.accept(place, text.strip());
        }
      }
      return true;
    } catch (CharacterCodingException e) {
      findings.problem(shown, "is not UTF-8 text; convert it");
    } catch (IOException e) {
      findings.problem(shown, "cannot be read; check its name and permissions");
    }
    return false;
  }

  /** The words of a line. */
  static List<String> words(String line) {
    return line.isEmpty() ? List.of() : Arrays.asList(line.split("\\s+"));
  }

  /** The submit description in a file; each is read once. */
  SubmitDescription described(String place, String written, Path path) {
    SubmitDescription known = descriptions.get(path);
    if (known == null) {
      if (descriptions.size() == MAX_FILES) {
        findings.problem(place, "more than %d submit descriptions; use VARS", MAX_FILES);
      }
      try {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
          findings.problem(place, "%s is not a regular file", written);
        } else if (Files.size(path) > LARGEST_DESCRIPTION.bytes()) {
          findings.problem(place, "%s is larger than %s", written, LARGEST_DESCRIPTION);
        } else {
          List<String> lines = Files.readAllLines(path);
          known = SubmitDescription.read(shownAs(path), lines, 1, findings);
        }
      } catch (IOException e) {
        findings.problem(
            place,
            "submit description %s cannot be read; it is expected at %s",
            written,
            path.toString());
      }
      // Told once, however many nodes use it.
      known = known == null ? missing(written) : known;
      descriptions.put(path, known);
    }
    return known;
  }

  private static SubmitDescription missing(String written) {
    return new SubmitDescription(written, Map.of("executable", "true"), Map.of(), 1);
  }

  /** A file's name in messages: as that of the DAG was given, if it is in the same folder. */
  String shownAs(Path path) {
    if (!path.startsWith(mainFolder)) {
      return path.toString();
    }
    return Path.of(shownFile).resolveSibling(mainFolder.relativize(path)).toString();
  }

  /** A path in a file. */
  Path resolved(String place, Path base, String written) {
    try {
      return base.resolve(written).normalize();
    } catch (InvalidPathException e) {
      findings.problem(place, "'%s' is not a path", written);
      return base;
    }
  }
}
