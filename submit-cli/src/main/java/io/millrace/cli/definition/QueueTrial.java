package io.millrace.cli.definition;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.VersionedQueue;
import io.millrace.api.queue.WorkerInput;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.manager.queue.QueueKind;
import io.millrace.manager.queue.WorkerSpecs;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * One worker of a queue with sample events. Apart from the command, because only the servers' class
 * path has the rules by which workers are made.
 */
final class QueueTrial {
  private final Invocation invocation;

  QueueTrial(Invocation invocation) {
    this.invocation = invocation;
  }

  /** Runs it; gives the worker's exit code. */
  int run(TrialFile file, String name, SampleEvents events, String node)
      throws IOException, InterruptedException {
    QueueDefinition queue = file.definition(QueueKind.WORD, name, QueueDefinition.class);
    Refusal.unless(queue.worker() != null, "NAME", queue.name() + " has no worker to try");
    Refusal.unless(
        queue.worker().input() != WorkerInput.PULL,
        "NAME",
        "the worker of "
            + queue.name()
            + " takes its events from a live segment by itself (input: pull), which a trial must"
            + " not touch; apply the definition under another name and send events there");
    boolean fed = queue.worker().input() == WorkerInput.STDIN;
    Refusal.unless(
        !fed || events.count() > 0,
        "--event",
        "give sample events, for instance --event '{\"user\":17}' or --events FILE");
    Refusal.unless(
        fed || events.count() == 0,
        "--event",
        "leave it out: the worker of "
            + queue.name()
            + " gets no events from Millrace, it takes real ones from where they lie");
    SampleEvents batch = events.first(queue.batch());
    if (batch.count() < events.count()) {
      invocation
          .terminal()
          .note("a worker gets " + queue.batch() + " events at the most, so the others are left");
    }
    JobView job = new TrialJob(invocation).run(spec(queue, batch, fed), node);
    return new Verdict(invocation)
        .tell(
            job,
            fed
                ? EventFate.of(Verdict.outcome(job), batch.count(), queue)
                : "its events lie outside of Millrace, and so does what became of them");
  }

  private static JobSpec spec(QueueDefinition queue, SampleEvents events, boolean fed) {
    JobSpec worker = WorkerSpecs.worker(new VersionedQueue(queue, 1), "any");
    Map<String, String> env = new HashMap<>(worker.env());
    env.put("MILLRACE_QUEUE", queue.name());
    JobDraft draft = worker.draft().input(null).preferredNode(null);
    if (fed) {
      env.put("MILLRACE_EVENTS", Integer.toString(events.count()));
      draft.stdin(events.lines(queue.name()));
    }
    return draft.env(env).spec();
  }
}
