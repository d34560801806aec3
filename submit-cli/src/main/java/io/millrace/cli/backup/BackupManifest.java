package io.millrace.cli.backup;

import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a backup consists of; its last part, so that a backup without it is not whole.
 *
 * @param format {@value #FORMAT}
 * @param version of the format; a program refuses later ones
 * @param id identifies the backup
 * @param millrace the version that took it
 * @param begun everything accepted before this moment is in the backup, except for what had ended
 *     when its part was copied; by the clock of the machine that took it
 * @param ended when the last part was copied
 * @param tables versions of the central database's tables, by module
 * @param nodes the queue nodes
 * @param without queue nodes that were left out
 * @param parts in the order in which they were copied
 * @param sessionsLeftOut by queue node: open sessions that it had, which no backup contains
 */
record BackupManifest(
    String format,
    int version,
    String id,
    String millrace,
    Instant begun,
    Instant ended,
    Map<String, String> tables,
    List<StoreCopy> nodes,
    List<String> without,
    List<Part> parts,
    Map<String, Long> sessionsLeftOut) {
  static final String FORMAT = "millrace-backup";
  static final int VERSION = 1;
  static final String CENTRAL = "central.ndjson";

  BackupManifest {
    // A backup of a version before has none.
    sessionsLeftOut =
        sessionsLeftOut == null
            ? Map.of()
            : Collections.unmodifiableMap(new TreeMap<>(sessionsLeftOut));
  }

  /**
   * The copy of a queue node's store.
   *
   * @param name the node's name
   * @param id the node's id
   * @param term of the store when it was copied
   * @param events in all its parts
   * @param versions of the definitions under which the queues' segments began, by queue
   * @param parts names of its parts, in order
   */
  record StoreCopy(
      String name,
      String id,
      long term,
      long events,
      Map<String, Integer> versions,
      List<String> parts) {}

  /**
   * A file in the backup.
   *
   * @param name its name
   * @param sha256 of its content
   * @param bytes its length, not compressed
   * @param rows table rows or events in it
   */
  record Part(String name, String sha256, long bytes, long rows) {}

  /** Events of all nodes. */
  long events() {
    return nodes.stream().mapToLong(StoreCopy::events).sum();
  }

  /** What is to be known about sessions before the backup is relied on, a line for each node. */
  List<String> sessionWarnings() {
    return sessionsLeftOut.entrySet().stream()
        .map(
            left ->
                "%s of queue node %s %s not in the backup: backups do not contain sessions"
                    .formatted(
                        Figures.count(left.getValue(), "open session"),
                        Escaping.text(left.getKey()),
                        left.getValue() == 1 ? "is" : "are"))
        .toList();
  }

  /** Rows of the central database. */
  long rows() {
    return parts.stream().filter(part -> part.name().equals(CENTRAL)).mapToLong(Part::rows).sum();
  }
}
