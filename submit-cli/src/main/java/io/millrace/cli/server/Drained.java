package io.millrace.cli.server;

/**
 * Tells when everything acknowledged is done. The figures are reports that are a second or two old,
 * so that they must show every event stored, and nothing unfinished several times in a row. Not
 * thread-safe.
 */
final class Drained {
  private static final int IN_A_ROW = 3;
  private static final int PATIENCE = 120;

  private int quiet;
  private int unchanged;
  private Totals last = Totals.NONE;

  /** One look, about every second; true when nothing is left, or nothing moves any more. */
  boolean look(Totals totals, long acknowledged) {
    boolean idle = totals.unfinished() == 0;
    quiet = idle && totals.inserted() >= acknowledged ? quiet + 1 : 0;
    unchanged = idle && totals.done() == last.done() ? unchanged + 1 : 0;
    last = totals;
    return quiet >= IN_A_ROW || unchanged >= PATIENCE;
  }
}
