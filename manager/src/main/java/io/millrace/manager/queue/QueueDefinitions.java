package io.millrace.manager.queue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.definition.DefinitionKind;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.definition.Definitions.AppliedDefinition;
import io.millrace.manager.job.JobRules;
import io.millrace.manager.job.NotificationRules;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.platform.schema.DataSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** The queues in force. Thread-safe; every method blocks on the database. */
public final class QueueDefinitions {
  private final Definitions definitions;

  public QueueDefinitions(Definitions definitions) {
    this.definitions = definitions;
  }

  /** Every queue, by name. */
  public List<VersionedQueue> all() {
    return definitions.inForce().stream()
        .filter(definition -> definition.kind().equals(QueueKind.KEYWORD))
        .map(QueueDefinitions::versioned)
        .toList();
  }

  public Optional<VersionedQueue> find(String queue) {
    return definitions.inForce(QueueKind.KEYWORD, queue).map(QueueDefinitions::versioned);
  }

  /**
   * The queue of that name.
   *
   * @throws MillraceException UNKNOWN_QUEUE
   */
  public VersionedQueue require(String queue) {
    return find(queue).orElseThrow(() -> unknown(queue));
  }

  /** The same, in the caller's transaction. */
  public Optional<VersionedQueue> find(Handle handle, String queue) {
    return DefinitionDao.inForce(handle, QueueKind.KEYWORD, queue)
        .map(
            row -> new VersionedQueue(Json.read(row.body(), QueueDefinition.class), row.version()));
  }

  public static MillraceException unknown(String queue) {
    return new MillraceException(
        ErrorCode.UNKNOWN_QUEUE,
        "no queue '%s' is defined; 'millrace queue list' shows the queues, 'millrace apply -f FILE' defines one"
            .formatted(ShownText.of(queue)));
  }

  private static VersionedQueue versioned(AppliedDefinition applied) {
    try {
      QueueDefinition queue =
          Json.mapper().treeToValue(applied.definition(), QueueDefinition.class);
      return new VersionedQueue(queue, applied.version());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the stored queue " + applied.name() + " is unreadable", e);
    }
  }

  /** {@code kind: queue}. */
  public static final class QueueKind implements DefinitionKind<QueueDefinition> {
    /** The keyword after {@code kind:}. */
    public static final String KEYWORD = "queue";

    private final WebhookRule webhooks;

    /** Of queues whatever webhooks they have. */
    public QueueKind() {
      this(WebhookRule.ANY);
    }

    /** Of queues without the webhooks that are never called. */
    public QueueKind(WebhookRule webhooks) {
      this.webhooks = webhooks;
    }

    @Override
    public String keyword() {
      return KEYWORD;
    }

    @Override
    public Class<QueueDefinition> type() {
      return QueueDefinition.class;
    }

    @Override
    public String nameOf(QueueDefinition definition) {
      return definition.name();
    }

    /**
     * Refuses a queue whose worker could never be submitted, or whose schema no event can be
     * checked against, when it is applied, not at every tick or event.
     */
    @Override
    public List<String> problems(QueueDefinition queue) {
      List<String> problems = new ArrayList<>(IneffectiveQueueKeys.problems(queue));
      problems.addAll(
          NotificationRules.problems(
              queue.notification(),
              queue.external() ? NotificationRules.OF_EXTERNAL_QUEUES : NotificationRules.OF_QUEUES,
              webhooks));
      if (queue.ofSessions() && queue.sessions().schema() != null) {
        try {
          DataSchema.written(queue.sessions().schema());
        } catch (IllegalArgumentException e) {
          problems.add("sessions.schema is not usable: " + e.getMessage());
        }
      }
      if (queue.source() != null) {
        problems.addAll(JobRules.problemsOfCommand("source.waiting", queue.source().waiting()));
      }
      if (queue.worker() != null) {
        JobSpec worker = WorkerSpecs.worker(new VersionedQueue(queue, 1), "any");
        JobRules.problems(JobKind.WORKER, worker).stream()
            .map(problem -> "worker." + problem)
            .forEach(problems::add);
      }
      return problems;
    }

    /**
     * The events of a queue are stored by their key or without one: what is stored cannot follow a
     * change of that.
     */
    @Override
    public Optional<String> refusal(QueueDefinition inForce, QueueDefinition next) {
      String key = keyOf(inForce);
      if (Objects.equals(key, keyOf(next))) {
        return Optional.empty();
      }
      String exists =
          key == null
              ? "exists as a queue without sessions"
              : "exists as a queue of sessions whose sessions.key is " + key;
      return Optional.of(
          "sessions: queue %s %s, which cannot change while it exists; delete it first with 'millrace delete queue %s', or define a queue of another name"
              .formatted(next.name(), exists, next.name()));
    }

    private static String keyOf(QueueDefinition queue) {
      return queue.ofSessions() ? queue.sessions().key() : null;
    }

    @Override
    public ObjectNode minimal() {
      ObjectNode queue = JsonNodeFactory.instance.objectNode().put("name", "queue");
      queue.putObject("sessions").put("key", "key");
      queue.putObject("worker").putArray("command").add("true");
      return queue;
    }
  }
}
