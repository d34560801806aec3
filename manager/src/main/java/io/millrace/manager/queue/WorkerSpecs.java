package io.millrace.manager.queue;

import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.WorkerDefinition;

/** The specs of a queue's workers. Pure. */
public final class WorkerSpecs {
  private WorkerSpecs() {}

  /** A worker for the events of one segment. */
  public static JobSpec worker(VersionedQueue queue, String node) {
    WorkerDefinition worker = queue.definition().worker();
    return JobDraft.command(worker.command())
        .name(queue.definition().name() + " worker")
        .env(worker.env())
        .cwd(worker.cwd())
        .slots(worker.slots())
        .priority(worker.priority())
        .pool(worker.pool())
        // A session's worker runs as long as it has sessions, and stalls are noticed by their age.
        .timeout(queue.definition().ofSessions() ? null : worker.timeout())
        .runAs(worker.runAs())
        .secrets(worker.secrets())
        .envFile(worker.envFile())
        .grace(worker.grace())
        .cpu(worker.cpu())
        .memory(worker.memory())
        .resources(worker.resources())
        .licences(worker.licences())
        .requires(worker.requires())
        .rank(worker.rank())
        .input(input(queue, node))
        .preferredNode(node)
        .spec();
  }

  /** The maximum number of events that one worker takes. */
  public static int capacity(QueueDefinition queue) {
    return queue.worker() == null ? queue.batch() : queue.worker().capacity(queue.batch());
  }

  private static BatchInput input(VersionedQueue queue, String node) {
    QueueDefinition definition = queue.definition();
    return new BatchInput(
        definition.name(),
        node,
        definition.worker().input(),
        definition.batch(),
        definition.lease(),
        queue.version(),
        definition.worker().linger(),
        definition.pacing().maxPerNode());
  }
}
