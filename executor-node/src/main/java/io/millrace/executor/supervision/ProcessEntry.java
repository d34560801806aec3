package io.millrace.executor.supervision;

import java.util.Optional;

/**
 * One process as {@code /proc/<pid>/stat} shows it.
 *
 * @param pid process id
 * @param state one letter, such as R, S, D or Z
 * @param group process group
 * @param session session
 * @param startTicks start in clock ticks since the machine's start
 */
record ProcessEntry(long pid, char state, long group, long session, long startTicks) {

  /** Reads a line of {@code stat}; empty when it is not one. */
  static Optional<ProcessEntry> parse(String line) {
    int open = line.indexOf('(');
    // The name between the parentheses is the program's to choose and may hold any of ") ( \n".
    int close = line.lastIndexOf(')');
    if (open < 1 || close < open) {
      return Optional.empty();
    }
    String[] fields = line.substring(close + 1).strip().split(" ", -1);
    try {
      return Optional.of(
          new ProcessEntry(
              Long.parseLong(line.substring(0, open).strip()),
              fields[0].charAt(0),
              Long.parseLong(fields[2]),
              Long.parseLong(fields[3]),
              Long.parseLong(fields[19])));
    } catch (IndexOutOfBoundsException | NumberFormatException notAStatLine) {
      return Optional.empty();
    }
  }

  /** Not a zombie: those are only waiting for their parent to look, and hold nothing. */
  boolean isAlive() {
    return state != 'Z' && state != 'X';
  }
}
