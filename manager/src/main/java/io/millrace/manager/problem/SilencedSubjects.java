package io.millrace.manager.problem;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemCode;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.task.TaskDefinitions;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.platform.database.Database;
import java.util.List;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * Refuses to silence what does not exist, because a misspelt silence silences nothing. Thread-safe;
 * blocks on the database.
 */
public final class SilencedSubjects {
  private final Database database;
  private final NodeDao nodes = new NodeDao();

  public SilencedSubjects(Database database) {
    this.database = database;
  }

  /**
   * Refuses a silence of a queue, task or node that is not known and has no such problem now. Jobs,
   * pools and what else comes and goes may be silenced before they exist.
   *
   * @param present the problems there are
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_TASK, UNKNOWN_NODE
   */
  public void require(SilenceRequest request, List<Alert> present) {
    String subject = request.subject();
    if (subject == null || present.stream().anyMatch(alert -> isAbout(alert, request))) {
      return;
    }
    // Another code is refused with the list of all.
    ProblemCode.named(String.valueOf(request.code()))
        .ifPresent(code -> database.read(handle -> require(handle, code, subject)));
  }

  private static boolean isAbout(Alert alert, SilenceRequest request) {
    return alert.code().equals(request.code()) && alert.subject().equals(request.subject());
  }

  private Void require(Handle handle, ProblemCode code, String subject) {
    switch (code) {
      case QUEUE_PAUSED,
          BREAKER_OPEN,
          DEAD_LETTERS,
          WAIT_TARGET_MISSED,
          SEGMENT_TROUBLE,
          SLOTS_WAITING,
          SESSIONS_PARKED,
          SESSIONS_FULL,
          SESSION_WORKER_STALLED ->
          requireDefinition(
              handle, QueueKind.KEYWORD, subject, () -> QueueDefinitions.unknown(subject));
      case TASK_LATE, TASK_RUN_FAILED, TASK_RUN_HUNG, TASK_RUNS_MISSED ->
          requireDefinition(
              handle, TaskKind.KEYWORD, subject, () -> TaskDefinitions.unknown(subject));
      case NODE_LOST,
          SILENT_NODE_EVENTS,
          SHORTAGE,
          DISK_FULL,
          EXECUTION_NODE_SILENT,
          EXECUTION_NODE_LOST,
          CLOCK_OFFSET,
          NODE_CLOSED,
          BALANCER_LOST ->
          requireNode(handle, subject);
      case QUEUE_MANAGER_NOT_RUNNING,
          TASK_MANAGER_NOT_RUNNING,
          SINGLE_INSTANCE_NOT_RUNNING,
          TEMPLATE_PAUSED,
          DELETION_WAITS,
          DEADLINE_NEAR,
          JOB_LATE,
          JOB_CANNOT_RUN,
          POOL_WITHOUT_NODE,
          CLOCK_STEP,
          CLAIM_UNHELD,
          NOTIFICATIONS_FAILING -> {
        // Named by jobs, pools or what else comes and goes.
      }
    }
    return null;
  }

  private static void requireDefinition(
      Handle handle, String kind, String name, Supplier<MillraceException> unknown) {
    if (DefinitionDao.inForce(handle, kind, name).isEmpty()) {
      throw unknown.get();
    }
  }

  private void requireNode(Handle handle, String name) {
    if (nodes.list(handle).stream().noneMatch(node -> node.name().equals(name))) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_NODE,
          "no node '%s' is registered; 'millrace node list' shows those that are"
              .formatted(ShownText.of(name)));
    }
  }
}
