package io.millrace.manager.queue;

import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.VersionedQueue;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.program.QueueManagerProgram;
import java.util.Optional;

/** The jobs that a queue needs, as its definition wants them. Pure. */
public final class WorkerSpecs {
  /** Before every worker: events whose manager waits for a slot wait with it. */
  private static final int MANAGER_PRIORITY = 1_000;

  private static final int NO_SLOT = 0;

  private WorkerSpecs() {}

  /** A run of the queue's worker on the events of one segment. */
  public static JobSpec worker(VersionedQueue queue, String node) {
    WorkerDefinition worker = queue.definition().worker();
    return JobDraft.command(worker.command())
        .name(queue.definition().name() + " worker")
        .env(worker.env())
        .cwd(worker.cwd())
        .slots(worker.slots())
        .priority(worker.priority())
        .pool(worker.pool())
        .timeout(worker.timeout())
        .input(input(queue, node))
        .preferredNode(node)
        .spec();
  }

  /**
   * The manager of one segment, in the pool of its workers. It takes no slot: managers that filled
   * the slots of a small pool would wait for ever for the workers they submit.
   */
  public static JobSpec manager(VersionedQueue queue, String node) {
    String name = new SegmentKey(queue.definition().name(), node).managerName();
    return JobDraft.program(QueueManagerProgram.NAME, queue.definition().name(), node)
        .name(name)
        .slots(NO_SLOT)
        .priority(MANAGER_PRIORITY)
        .pool(queue.definition().worker().pool())
        .single(name)
        .restart(true)
        .preferredNode(node)
        .spec();
  }

  /** The segment whose manager the job is; empty for other jobs. */
  public static Optional<SegmentKey> managed(JobView job) {
    return job.kind() == JobKind.MANAGER ? SegmentKey.ofManager(job.name()) : Optional.empty();
  }

  /** Events that one run of the queue's worker takes at the most. */
  static int capacity(QueueDefinition queue) {
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
