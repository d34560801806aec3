package io.millrace.tests.drill.session;

/**
 * A process that works on sessions of one queue node, as journals name it: {@code job:NAME@NODE} or
 * {@code outside:NAME@NODE}.
 *
 * @param watched whether a watchdog ends it at its deadline: a job; not so a program outside
 * @param name of the process, as the faults' timeline names it
 * @param node the queue node
 */
record JournalWorker(boolean watched, String name, String node) {
  private static final String JOB = "job";
  private static final String OUTSIDE = "outside";

  /** Reads what {@link #toString} writes. */
  static JournalWorker parse(String text) {
    int colon = text.indexOf(':');
    int at = text.lastIndexOf('@');
    if (colon < 0 || at < colon) {
      throw new IllegalArgumentException("'" + text + "' is not a worker of a journal");
    }
    boolean watched =
        switch (text.substring(0, colon)) {
          case JOB -> true;
          case OUTSIDE -> false;
          default ->
              throw new IllegalArgumentException("'" + text + "' is not a worker of a journal");
        };
    return new JournalWorker(watched, text.substring(colon + 1, at), text.substring(at + 1));
  }

  @Override
  public String toString() {
    return (watched ? JOB : OUTSIDE) + ":" + name + "@" + node;
  }
}
