package io.millrace.manager.deletion;

import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.KnownQueueNode.QueueNodeCondition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the queue nodes hold of a queue, as last reported, silent and lost ones included. Pure.
 *
 * @param queue its name
 * @param nodes every queue node that has not been removed from the cluster
 * @param waiting events that wait, delayed ones included
 * @param delayed those of them that must not be processed yet
 * @param leased events that workers have
 * @param dead dead letters
 */
record QueueContent(
    String queue, List<KnownQueueNode> nodes, long waiting, long delayed, long leased, long dead) {

  static QueueContent of(String queue, List<KnownQueueNode> nodes) {
    long waiting = 0;
    long delayed = 0;
    long leased = 0;
    long dead = 0;
    for (KnownQueueNode node : nodes) {
      Optional<SegmentFigures> segment = segment(node, queue);
      if (segment.isPresent()) {
        waiting += segment.get().waiting() + segment.get().delayed();
        delayed += segment.get().delayed();
        leased += segment.get().leased();
        dead += segment.get().dead();
      }
    }
    return new QueueContent(queue, nodes, waiting, delayed, leased, dead);
  }

  private static Optional<SegmentFigures> segment(KnownQueueNode node, String queue) {
    QueueNodeReport report = node.report();
    return report == null
        ? Optional.empty()
        : report.segments().stream().filter(one -> one.queue().equals(queue)).findFirst();
  }

  static QueueDefinition definition(DefinitionRow row) {
    return Json.read(row.body(), QueueDefinition.class);
  }

  long events() {
    return waiting + leased + dead;
  }

  boolean empty() {
    return events() == 0;
  }

  /** Why the queue is not deleted without a word about its events, and what to say. */
  String refusal(int workers) {
    return String.format(
        Locale.ROOT,
        "queue %1$s %2$s; nothing was deleted. --drain refuses new events and deletes the queue when its workers have done the rest, --discard drops the events and stops the workers (mode DRAIN or DISCARD in the API)",
        queue,
        empty() ? "has " + workers(workers) : "holds " + String.join(", ", events(false)));
  }

  /** What its deletion drains or drops, and the workers of events that are stored elsewhere. */
  List<String> work(int workers) {
    List<String> parts = new ArrayList<>(events(true));
    if (workers > 0) {
      parts.add(workers(workers));
    }
    return parts;
  }

  private static String workers(int number) {
    return count(number, "worker that has", "workers that have") + " not ended";
  }

  private List<String> events(boolean detailed) {
    List<String> parts = new ArrayList<>();
    long ready = detailed ? waiting - delayed : waiting;
    if (ready > 0) {
      parts.add(count(ready, "waiting event", "waiting events"));
    }
    if (detailed && delayed > 0) {
      parts.add(count(delayed, "delayed event", "delayed events"));
    }
    if (leased > 0) {
      parts.add(count(leased, "event that a worker has", "events that workers have"));
    }
    if (dead > 0) {
      parts.add(count(dead, "dead letter", "dead letters"));
    }
    return parts;
  }

  private static String count(long number, String one, String many) {
    return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : many);
  }

  /**
   * Whether the node has closed the queue and holds nothing of it; nobody waits for one withdrawn.
   */
  static boolean closed(KnownQueueNode node, DeletionRow row) {
    QueueNodeReport report = node.report();
    return node.withdrawn()
        || (report != null
            && report.closures().stream()
                .anyMatch(
                    closure ->
                        closure.queue().equals(row.name())
                            && closure.version() == row.version()
                            && closure.removed()));
  }

  /** The highest version of the queue that a node refuses as deleted; 0 for none. */
  static int lastClosed(String queue, List<KnownQueueNode> nodes) {
    return nodes.stream()
        .filter(node -> node.report() != null)
        .flatMap(node -> node.report().closures().stream())
        .filter(closure -> closure.queue().equals(queue))
        .mapToInt(SegmentClosure::version)
        .max()
        .orElse(0);
  }

  /**
   * What the deletion waits for on the queue nodes.
   *
   * @param obstacles why no worker processes the waiting events, each with what to do; empty if
   *     workers are started
   */
  List<String> waits(DeletionRow row, List<String> obstacles) {
    List<String> waits = new ArrayList<>();
    boolean drains = row.mode() == DeletionMode.DRAIN;
    if (drains && waiting + leased > 0) {
      waits.add(
          count(waiting + leased, "event to be processed", "events to be processed")
              + (obstacles.isEmpty()
                  ? ""
                  : ", but %s, or drop the events with 'millrace delete queue %s --discard'"
                      .formatted(String.join(", and ", obstacles), queue)));
    }
    if (drains && dead > 0) {
      waits.add(
          count(dead, "dead letter", "dead letters")
              + " to be requeued or dropped ('millrace queue dead list "
              + queue
              + "'), or to be dropped by 'millrace delete queue "
              + queue
              + " --discard'");
    }
    for (KnownQueueNode node : nodes) {
      if (!closed(node, row)) {
        node(node, waits);
      }
    }
    return waits;
  }

  private void node(KnownQueueNode node, List<String> waits) {
    if (node.condition() != QueueNodeCondition.LIVE) {
      Duration silent = Duration.ofSeconds(Math.round(node.silentSeconds()));
      waits.add(
          "queue node %1$s, which has been silent for %2$s: start it again, or remove it with 'millrace node forget %1$s'"
              .formatted(node.name(), Durations.format(silent)));
    } else if (segment(node, queue).map(one -> one.unfinished() + one.dead()).orElse(0L) == 0) {
      waits.add("queue node " + node.name() + " to close the queue");
    } else if (waits.isEmpty()) {
      waits.add("queue node " + node.name() + " to drop its events");
    }
  }
}
