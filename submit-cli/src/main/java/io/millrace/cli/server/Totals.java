package io.millrace.cli.server;

import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import java.util.List;
import java.util.Set;

/**
 * The figures of the demo's queues together.
 *
 * @param inserted events stored since ever
 * @param unfinished waiting, delayed or with workers
 * @param done acknowledged by workers since ever
 * @param dead dead letters
 * @param workers waiting and running
 * @param workerRuns runs started since ever
 * @param decisions decisions of queue managers since ever
 */
record Totals(
    long inserted,
    long unfinished,
    long done,
    long dead,
    long workers,
    long workerRuns,
    long decisions) {
  static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0);

  static Totals of(Overview overview, Set<String> names) {
    List<QueueView> queues =
        overview.queues().stream().filter(queue -> names.contains(queue.name())).toList();
    return new Totals(
        queues.stream().mapToLong(QueueView::inserted).sum(),
        queues.stream().mapToLong(q -> q.waiting() + q.delayed() + q.leased()).sum(),
        queues.stream().mapToLong(QueueView::acknowledged).sum(),
        queues.stream().mapToLong(QueueView::dead).sum(),
        queues.stream().mapToLong(q -> q.workersStarting() + q.workersRunning()).sum(),
        queues.stream().mapToLong(QueueView::workerRuns).sum(),
        queues.stream().mapToLong(QueueView::managerDecisions).sum());
  }
}
