package io.millrace.cli.server;

/** The roles that run as processes of their own. */
enum ServerRole {
  MANAGER("manager", "Runs a central manager: stores and places jobs, serves API and dashboard."),
  QUEUE_NODE("queue-node", "Runs a queue node: stores segments of queues."),
  LOAD_BALANCER("load-balancer", "Runs a load balancer: distributes events over segments by weight."),
  EXECUTOR_NODE("executor-node", "Runs an execution node: supervises jobs in slots.");

  private final String verb;
  private final String description;

  ServerRole(String verb, String description) {
    this.verb = verb;
    this.description = description;
  }

  /** The command's name. */
  String verb() {
    return verb;
  }

  String description() {
    return description;
  }
}
