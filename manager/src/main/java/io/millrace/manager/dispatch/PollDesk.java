package io.millrace.manager.dispatch;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.Assignment;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollRequest;
import io.millrace.manager.job.AttemptEnd;
import io.millrace.manager.job.EffectiveSpec;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.job.store.JobReadStore;
import io.millrace.manager.job.store.JobReadStore.Task;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.store.NodeStore;
import io.millrace.platform.database.Database;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Answers polls of execution nodes. Thread-safe; blocks on the database only. */
public final class PollDesk {
  private final Database database;
  private final DatabaseTime time;
  private final NodeStore nodes = new NodeStore();
  private final JobReadStore jobs = new JobReadStore();
  private final NodeAttempts attempts;
  private final WorkerTokens tokens;
  private final Heartbeat heartbeat;

  public PollDesk(
      Database database, NodeAttempts attempts, WorkerTokens tokens, Heartbeat heartbeat) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.attempts = attempts;
    this.tokens = tokens;
    this.heartbeat = heartbeat;
  }

  /**
   * Takes a poll as a heartbeat.
   *
   * @throws io.millrace.api.problem.MillraceException UNKNOWN_NODE when the node has to register
   */
  public void hear(UUID node, PollRequest request) {
    boolean employed =
        database.transaction(
            handle -> {
              Instant now = time.now(handle);
              Long offset =
                  request.clock() == null
                      ? null
                      : Duration.between(now, request.clock()).toMillis();
              return nodes.renew(
                  handle, node, request.accepting(), offset, now, now.plus(heartbeat.lease()));
            });
    if (!employed) {
      throw ExecutionNodes.unknown(node);
    }
  }

  /** What the node is to do now; empty lists for nothing. */
  public PollAnswer look(UUID node, PollRequest request) {
    boolean takes = request.accepting() && takesJobs(node);
    Orders orders =
        database.read(handle -> Orders.of(attempts.of(handle, node), request.held(), takes));
    if (!orders.withdraw().isEmpty()) {
      withdraw(node, orders.withdraw(), takes);
    }
    if (orders.start().isEmpty()) {
      return new PollAnswer(List.of(), orders.stop());
    }
    return new PollAnswer(
        database.read(handle -> assignments(handle, orders.start())), orders.stop());
  }

  // One that drains since its last poll is not given what was recorded for it before.
  private boolean takesJobs(UUID node) {
    return database
        .read(handle -> nodes.find(handle, node).filter(row -> row.takesJobs(time.now(handle))))
        .isPresent();
  }

  private void withdraw(UUID node, List<AttemptId> unheld, boolean takes) {
    String reason = takes ? "cancelled before its start" : "its node takes no new work";
    database.transaction(
        handle ->
            attempts.end(handle, node, unheld, AttemptEnd.withdrawn(reason), time.now(handle)));
  }

  private List<Assignment> assignments(Handle handle, List<AttemptId> start) {
    Map<AttemptId, Task> tasks = jobs.tasks(handle, start);
    Map<String, URI> queueNodes = nodes.addresses(handle, NodeKind.QUEUE);
    Instant now = time.now(handle);
    // An attempt that ended between the two reads has no task any more.
    return start.stream()
        .filter(tasks::containsKey)
        .map(attempt -> assignment(attempt, tasks.get(attempt), queueNodes, now))
        .toList();
  }

  private Assignment assignment(
      AttemptId attempt, Task task, Map<String, URI> queueNodes, Instant now) {
    JobSpec spec = EffectiveSpec.of(task.spec(), now);
    if (spec.input() == null) {
      return new Assignment(attempt, task.kind(), spec, null, null);
    }
    return new Assignment(
        attempt,
        task.kind(),
        spec,
        queueNodes.get(task.spec().input().node()),
        tokens.issue(attempt, task.spec()));
  }
}
