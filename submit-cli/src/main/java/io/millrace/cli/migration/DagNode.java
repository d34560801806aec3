package io.millrace.cli.migration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A node of a DAG file while the file is read. Not thread-safe. */
final class DagNode {
  final String name;
  final String place;
  final Path directory;
  final Map<String, String> variables = new LinkedHashMap<>();
  final Set<DagNode> needs = new LinkedHashSet<>();
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
   * @param place for messages
   * @param directory in which its files are
   */
  DagNode(String name, String place, Path directory) {
    this.name = name;
    this.place = place;
    this.directory = directory;
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
