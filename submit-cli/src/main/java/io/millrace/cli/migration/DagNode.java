package io.millrace.cli.migration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A node of a DAG file while the file is read. Not thread-safe. */
final class DagNode {
  final String name;
  final Path directory;
  private final String file;
  private final int line;
  // Compact, because there may be a million nodes.
  private Map<String, String> variables = Map.of();
  private List<DagNode> needs = List.of();
  // The positions of its steps.
  int firstStep;
  int steps;
  // Null for a node that only runs scripts.
  SubmitDescription job;
  NodeScript pre;
  NodeScript post;
  Integer skipCode;
  int retries;
  Integer unlessExit;
  Integer abortCode;
  int priority;
  String category;
  Integer maxJobs;
  boolean done;
  boolean noop;
  boolean last;

  /**
   * A node.
   *
   * @param name with the names of the DAGs that it is in
   * @param place of its line
   * @param directory in which its files are
   */
  DagNode(String name, DagPlace place, Path directory) {
    this.name = name;
    this.file = place.file();
    this.line = place.line();
    this.directory = directory;
  }

  /** Where it is declared, for messages. */
  String place() {
    return new DagPlace(file, line).toString();
  }

  /** The macros that VARS gives it, by name in lower case. */
  Map<String, String> variables() {
    return variables;
  }

  void add(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(variables);
    all.putAll(more);
    variables = Map.copyOf(all);
  }

  /** The nodes that it waits for; one may be there several times. */
  List<DagNode> needs() {
    return needs;
  }

  void waitFor(List<DagNode> others) {
    if (needs.isEmpty()) {
      needs = List.copyOf(others);
    } else {
      if (!(needs instanceof ArrayList)) {
        needs = new ArrayList<>(needs);
      }
      needs.addAll(others);
    }
  }

  /**
   * A line of a DAG file.
   *
   * @param file as messages show it
   * @param line from 1
   */
  record DagPlace(String file, int line) {
    @Override
    public String toString() {
      return file + ": line " + line;
    }
  }

  /** A script before or after the job of a node. */
  record NodeScript(String program, List<String> arguments) {
    NodeScript {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * Nodes that a name stands for: one, or those of a DAG within the DAG.
   *
   * @param first those that wait for what the name waits for
   * @param last those for which others wait
   */
  record DagMembers(List<DagNode> first, List<DagNode> last) {
    DagMembers {
      first = List.copyOf(first);
      last = List.copyOf(last);
    }

    static DagMembers of(DagNode node) {
      return new DagMembers(List.of(node), List.of(node));
    }

    /** The members of a DAG whose nodes these are. */
    static DagMembers of(List<DagNode> nodes) {
      Set<DagNode> needed = new LinkedHashSet<>();
      nodes.forEach(node -> needed.addAll(node.needs));
      List<DagNode> first = new ArrayList<>();
      List<DagNode> last = new ArrayList<>();
      for (DagNode node : nodes) {
        if (node.needs.isEmpty()) {
          first.add(node);
        }
        if (!needed.contains(node)) {
          last.add(node);
        }
      }
      return new DagMembers(first, last);
    }
  }
}
