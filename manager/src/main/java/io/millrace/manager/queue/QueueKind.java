package io.millrace.manager.queue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.manager.definition.DefinitionKind;
import io.millrace.manager.job.JobRules;
import java.util.List;

/** {@code kind: queue}. */
public final class QueueKind implements DefinitionKind<QueueDefinition> {
  /** The word after {@code kind:}. */
  public static final String WORD = "queue";

  @Override
  public String word() {
    return WORD;
  }

  @Override
  public Class<QueueDefinition> type() {
    return QueueDefinition.class;
  }

  @Override
  public String nameOf(QueueDefinition definition) {
    return definition.name();
  }

  /** A queue whose worker could never be submitted is refused now, and not at each tick. */
  @Override
  public List<String> problems(QueueDefinition queue) {
    if (queue.worker() == null) {
      return List.of();
    }
    try {
      JobRules.check(JobKind.WORKER, WorkerSpecs.worker(new VersionedQueue(queue, 1), "any"));
      return List.of();
    } catch (MillraceException e) {
      return List.of("worker." + e.getMessage());
    }
  }

  @Override
  public ObjectNode minimal() {
    ObjectNode queue = JsonNodeFactory.instance.objectNode().put("name", "queue");
    queue.putObject("worker").putArray("command").add("true");
    return queue;
  }
}
