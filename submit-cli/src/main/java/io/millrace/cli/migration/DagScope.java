package io.millrace.cli.migration;

import io.millrace.cli.migration.DagNode.DagMembers;
import io.millrace.cli.migration.DagNode.DagPlace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The nodes of one DAG file by their names, and those of DAGs within it. Not thread-safe. */
final class DagScope {
  final String prefix;
  private final ImportFindings findings;
  private final Map<String, DagNode> own = new LinkedHashMap<>();
  private final Map<String, DagMembers> nested = new LinkedHashMap<>();
  private final List<DagNode> inner = new ArrayList<>();

  /** A scope without nodes; the prefix is that of its nodes' names. */
  DagScope(String prefix, ImportFindings findings) {
    this.prefix = prefix;
    this.findings = findings;
  }

  DagNode add(DagPlace place, String name, Path directory) {
    if (name.indexOf('+') >= 0) {
      findings.problem(
          place.toString(),
          "'%s': '+' separates the names of DAGs within DAGs; choose another",
          name);
    }
    DagNode node = new DagNode(prefix.isEmpty() ? name : prefix + name, place, directory);
    if (nested.containsKey(name) || own.putIfAbsent(name, node) != null) {
      twice(place, name);
    }
    return node;
  }

  /** Adds the nodes of a DAG within this one, which has a name itself. */
  void add(DagPlace place, String name, DagMembers members, List<DagNode> nodes) {
    if (own.containsKey(name) || nested.putIfAbsent(name, members) != null) {
      twice(place, name);
    }
    inner.addAll(nodes);
  }

  private void twice(DagPlace place, String name) {
    findings.problem(place.toString(), "there are two nodes named %s; rename one", name);
  }

  /** The nodes of the file itself. */
  Collection<DagNode> own() {
    return own.values();
  }

  /** All nodes. */
  List<DagNode> all() {
    List<DagNode> all = new ArrayList<>(own.values());
    all.addAll(inner);
    return all;
  }

  /** The nodes that a word means, other than those of DAGs within the DAG. */
  List<DagNode> named(String place, String word) {
    if (word.equalsIgnoreCase("ALL_NODES")) {
      return own.values().stream().filter(node -> !node.last).toList();
    }
    if (nested.containsKey(word)) {
      findings.note(
          place,
          "%s is another DAG, whose steps become part of the workflow: what is said of it as"
              + " a whole, other than PARENT and CHILD, is not used",
          word);
      return List.of();
    }
    return members(place, word).first();
  }

  /** The nodes that wait and are waited for where a name is given; none if it is unknown. */
  DagMembers members(String place, String word) {
    DagNode node = own.get(word);
    if (node != null) {
      return DagMembers.of(node);
    }
    DagMembers members = nested.get(word);
    if (members == null) {
      findings.problem(place, "there is no node %s; add 'JOB %s FILE'", word, word);
      return new DagMembers(List.of(), List.of());
    }
    return members;
  }

  /** Whether the name is that of a DAG within this one. */
  boolean nested(String name) {
    return nested.containsKey(name);
  }
}
