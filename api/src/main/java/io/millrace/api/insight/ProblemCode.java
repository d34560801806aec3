package io.millrace.api.insight;

import static io.millrace.api.insight.ProblemSeverity.CRITICAL;
import static io.millrace.api.insight.ProblemSeverity.WARNING;

import java.util.Arrays;
import java.util.Optional;

/** The codes of problems; each is explained in the operators' documentation. */
public enum ProblemCode {
  /** No segment of a lost queue node is served. */
  NODE_LOST(CRITICAL),
  /** A silent queue node holds events. */
  SILENT_NODE_EVENTS(CRITICAL),
  /** A queue node cannot shed its load. */
  SHORTAGE(WARNING),
  /** A queue node cannot serve a segment. */
  SEGMENT_TROUBLE(CRITICAL),
  /** An operator paused a queue. */
  QUEUE_PAUSED(WARNING),
  /** The workers of a queue fail on every event. */
  BREAKER_OPEN(CRITICAL),
  /** A queue has dead letters. */
  DEAD_LETTERS(WARNING),
  /** Events of a queue wait for longer than its target. */
  WAIT_TARGET_MISSED(WARNING),
  /** Slots of a queue of sessions wait for the events of a lost queue node. */
  SLOTS_WAITING(CRITICAL),
  /** Sessions wait for an operator, because an event failed too often. */
  SESSIONS_PARKED(WARNING),
  /** Sessions have so many events that further ones are refused. */
  SESSIONS_FULL(WARNING),
  /** A session worker lives and does not acknowledge its events. */
  SESSION_WORKER_STALLED(WARNING),
  /** A queue manager does not run. */
  QUEUE_MANAGER_NOT_RUNNING(CRITICAL),
  /** A task manager does not run. */
  TASK_MANAGER_NOT_RUNNING(CRITICAL),
  /** A single instance does not run. */
  SINGLE_INSTANCE_NOT_RUNNING(CRITICAL),
  /** A task was due and was not launched. */
  TASK_LATE(CRITICAL),
  /** The last run of a task failed. */
  TASK_RUN_FAILED(WARNING),
  /** A run of a task takes too long. */
  TASK_RUN_HUNG(WARNING),
  /** A template of a workflow is paused, because its program fails everywhere. */
  TEMPLATE_PAUSED(WARNING),
  /** The deletion of a queue or task does not end. */
  DELETION_WAITS(WARNING),
  /** Planned times of a task passed without a run. */
  TASK_RUNS_MISSED(WARNING),
  /** A job has not started shortly before its deadline. */
  DEADLINE_NEAR(WARNING),
  /** A job waits for longer than its notification allows. */
  JOB_LATE(WARNING),
  /** No node of its pool could ever run a job, or it asks for more of a licence than there is. */
  JOB_CANNOT_RUN(CRITICAL),
  /** Jobs wait for a pool without nodes, or whose nodes operators have all taken out of service. */
  POOL_WITHOUT_NODE(CRITICAL),
  /** An execution node is silent while single instances may run there. */
  EXECUTION_NODE_SILENT(CRITICAL),
  /** An execution node is lost. */
  EXECUTION_NODE_LOST(WARNING),
  /** The disk of an execution node or queue node is nearly full. */
  DISK_FULL(CRITICAL),
  /** The clock of a node differs from the database's. */
  CLOCK_OFFSET(WARNING),
  /** A clock has stepped. */
  CLOCK_STEP(WARNING),
  /** A node gets no jobs of a definition or user. */
  NODE_CLOSED(WARNING),
  /** A load balancer is unreachable. */
  BALANCER_LOST(CRITICAL),
  /** No central manager performs a duty. */
  CLAIM_UNHELD(CRITICAL),
  /** Notifications cannot be delivered. */
  NOTIFICATIONS_FAILING(WARNING);

  private final ProblemSeverity severity;

  ProblemCode(ProblemSeverity severity) {
    this.severity = severity;
  }

  public ProblemSeverity severity() {
    return severity;
  }

  /** The code of that name; empty for one of a newer version. */
  public static Optional<ProblemCode> named(String name) {
    return Arrays.stream(values()).filter(code -> code.name().equals(name)).findFirst();
  }
}
