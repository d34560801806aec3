package io.millrace.cli.migration;

import io.millrace.cli.migration.DagNode.DagMembers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The nodes of one DAG file by their names, and those of DAGs within it. Not thread-safe. */
final class DagScope {
  final String prefix;
  private final ImportFindings findings;
  private final Map<String, DagMembers> names = new LinkedHashMap<>();
  private final Set<DagNode> own = new LinkedHashSet<>();
  private final List<DagNode> inner = new ArrayList<>();

  /** A scope without nodes; the prefix is that of its nodes' names. */
  DagScope(String prefix, ImportFindings findings) {
    this.prefix = prefix;
    this.findings = findings;
  }

  DagNode add(String place, String name, Path directory) {
    if (name.indexOf('+') >= 0) {
      findings.problem(
          place, "'%s': '+' separates the names of DAGs within DAGs; choose another", name);
    }
    DagNode node = new DagNode(prefix + name, place, directory);
    register(place, name, DagMembers.of(node));
    own.add(node);
    return node;
  }

  /** Adds the nodes of a DAG within this one, which has a name itself. */
  void add(String place, String name, DagMembers members, List<DagNode> nodes) {
    register(place, name, members);
    inner.addAll(nodes);
  }

  private void register(String place, String name, DagMembers members) {
    if (names.putIfAbsent(name, members) != null) {
      findings.problem(place, "there are two nodes named %s; rename one", name);
    }
  }

  /** The nodes of the file itself. */
  Set<DagNode> own() {
    return own;
  }

  /** All nodes. */
  List<DagNode> all() {
    List<DagNode> all = new ArrayList<>(own);
    all.addAll(inner);
    return all;
  }

  /** The nodes that a word means, which may be those of a DAG within the DAG. */
  List<DagNode> named(String place, String word) {
    if (word.equalsIgnoreCase("ALL_NODES")) {
      return own.stream().filter(node -> !node.last).toList();
    }
    DagMembers members = members(place, word);
    if (single(members)) {
      return members.first();
    }
    if (names.containsKey(word)) {
      findings.note(
          place,
          "%s is a DAG of its own, whose steps become part of the workflow: what is said of it as"
              + " a whole, other than PARENT and CHILD, is not used",
          word);
    }
    return List.of();
  }

  /** The nodes that wait and are waited for where a name is given; none if it is unknown. */
  DagMembers members(String place, String word) {
    DagMembers members = names.get(word);
    if (members == null) {
      findings.problem(place, "there is no node %s; add 'JOB %s FILE'", word, word);
      return new DagMembers(List.of(), List.of());
    }
    return members;
  }

  /** Whether the name is that of a DAG within this one. */
  boolean nested(String name) {
    return names.containsKey(name) && !single(names.get(name));
  }

  private boolean single(DagMembers members) {
    return members.first().size() == 1
        && members.first().equals(members.last())
        && own.contains(members.first().get(0));
  }
}
