package io.millrace.manager.pacing;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.queue.WorkerSpecs;
import java.util.Optional;

/** The jobs that run queue managers. Pure. */
public final class QueueManagerSpecs {
  /** Higher than workers: events wait for as long as their manager waits for a slot. */
  private static final int MANAGER_PRIORITY = 1_000;

  private static final int NO_SLOT = 0;

  private QueueManagerSpecs() {}

  /**
   * The manager of one segment, in the pool of its workers. It takes no slot: managers that filled
   * the slots of a small pool would wait forever for the workers that they submit.
   */
  public static JobSpec manager(VersionedQueue queue, String node) {
    String name = new SegmentKey(queue.definition().name(), node).managerName();
    JobDraft draft = JobDraft.program(QueueManagerProgram.NAME, queue.definition().name(), node);
    if (queue.definition().external()) {
      // It runs the command that counts the events, which needs the same kind of node as a worker.
      WorkerDefinition worker = queue.definition().worker();
      draft.requires(worker.requires()).rank(worker.rank()).runAs(worker.runAs());
    }
    return draft
        .name(name)
        .slots(NO_SLOT)
        .priority(MANAGER_PRIORITY)
        .pool(queue.definition().worker().pool())
        .single(name)
        .restart(true)
        .preferredNode(node)
        .spec();
  }

  /** The command that counts the events of an external queue: it runs as a worker would. */
  public static JobSpec source(QueueDefinition queue, String node) {
    return WorkerSpecs.worker(new VersionedQueue(queue, 0), node)
        .draft()
        .argv(queue.source().waiting())
        .timeout(queue.source().timeout())
        .spec();
  }

  /** The segment whose manager the job is; empty for other jobs. */
  public static Optional<SegmentKey> managed(JobView job) {
    return job.kind() == JobKind.MANAGER ? SegmentKey.ofManager(job.name()) : Optional.empty();
  }
}
