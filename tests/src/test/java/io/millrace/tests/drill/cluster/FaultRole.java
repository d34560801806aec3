package io.millrace.tests.drill.cluster;

/** The role that a fault affects. */
public enum FaultRole {
  CENTRAL_MANAGER("central"),
  EXECUTION_NODE("exec node"),
  QUEUE_NODE("queue node"),
  LOAD_BALANCER("balancer"),
  DATABASE("database"),
  JOB_PROCESS("job process"),
  SESSION_PROGRAM("program"),
  PARTITION_AGENT("agent");

  private final String words;

  FaultRole(String words) {
    this.words = words;
  }

  /** The text for the table. */
  public String words() {
    return words;
  }

  /** The role of a process of a drill's cluster, by its name: c1, e2, q3, lb1 or database. */
  public static FaultRole of(String process) {
    return switch (process.charAt(0)) {
      case 'c' -> CENTRAL_MANAGER;
      case 'e' -> EXECUTION_NODE;
      case 'q' -> QUEUE_NODE;
      case 'l' -> LOAD_BALANCER;
      case 'd' -> DATABASE;
      default -> throw new IllegalArgumentException("not a process of a cluster: " + process);
    };
  }
}
