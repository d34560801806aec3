package io.millrace.bench.job;

import java.nio.file.Path;

/**
 * What a benchmark of jobs measures.
 *
 * @param jobs number of jobs in each run
 * @param noop whether they are built-in no-ops instead of {@code /bin/true}
 * @param backlog further jobs that are waiting during the runs
 * @param database a server; null for an H2 file
 * @param managers number of central managers
 * @param nodes number of execution nodes
 * @param slots of each execution node
 * @param runs number of runs, of which the median counts
 * @param atATime concurrent processes of the references
 * @param folder parent directory of all files; null for a temporary one
 */
public record JobsBenchPlan(
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
  public record Server(String url, String user, Path passwordFile) {}

  /** The store's name as in {@code --store}. */
  String store() {
    return database == null ? "h2" : "mysql";
  }
}
