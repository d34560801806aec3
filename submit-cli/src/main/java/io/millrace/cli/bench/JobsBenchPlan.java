package io.millrace.cli.bench;

import java.nio.file.Path;

/**
 * What is measured.
 *
 * @param jobs of each run
 * @param noop whether they are built-in no-ops instead of {@code /bin/true}
 * @param backlog further jobs that wait meanwhile
 * @param database a server; null for an H2 file
 * @param managers central managers
 * @param nodes execution nodes
 * @param slots of each
 * @param runs of which the median counts
 * @param atATime processes of the references at a time
 * @param folder where all files lie; null for a temporary one
 */
record JobsBenchPlan(
    int jobs,
    boolean noop,
    int backlog,
    Server database,
    int managers,
    int nodes,
    int slots,
    int runs,
    int atATime,
    Path folder) {

  /**
   * A MySQL or MariaDB server.
   *
   * @param passwordFile holds the password; null for none
   */
  record Server(String url, String user, Path passwordFile) {}

  /** The store's name as one gives it. */
  String store() {
    return database == null ? "h2" : "mysql";
  }
}
