package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.executor.batch.BatchCalls;
import io.millrace.executor.batch.LeasedBatch;
import io.millrace.executor.run.Runners.AcceptedRun;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.ProcessExit;
import io.millrace.executor.supervision.Recovered;
import io.millrace.executor.supervision.SupervisedProcess;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Takes over attempts of an earlier agent and leads them to the very end that all others have. */
final class Reattachment {
  private final ProcessLauncher launcher;
  private final BatchCalls calls;
  private final Clock clock;

  Reattachment(ProcessLauncher launcher, BatchCalls calls, Clock clock) {
    this.launcher = launcher;
    this.calls = calls;
    this.clock = clock;
  }

  AcceptedRun reattach(Recovered recovered) {
    AttemptDirectory directory = launcher.directory(recovered.id());
    AttemptRecord record =
        KeptFile.ASSIGNMENT.read(directory).orElseGet(() -> unknown(recovered.id()));
    ProcessRun run = new ProcessRun(recovered.id());
    Optional<CompletedRun> known = KeptFile.RESULT.read(directory);
    if (known.isPresent()) {
      run.result().complete(known.get());
      return new AcceptedRun(record, run);
    }
    Optional<LeasedBatch> batch =
        KeptFile.BATCH.read(directory).map(kept -> new LeasedBatch(kept, calls));
    if (recovered instanceof Recovered.Alive alive) {
      follow(run, record, batch, alive.process());
    } else {
      ProcessExit ending = ending(recovered, record);
      launcher.onPool(
          run, record, () -> launcher.finish(run, record, batch, record.acceptedAt(), ending));
    }
    return new AcceptedRun(record, run);
  }

  private void follow(
      ProcessRun run,
      AttemptRecord record,
      Optional<LeasedBatch> batch,
      SupervisedProcess process) {
    batch.ifPresent(LeasedBatch::keepFromNow);
    launcher.follow(run, record, batch, process);
  }

  private ProcessExit ending(Recovered recovered, AttemptRecord record) {
    if (record.assignment().spec().program() != null) {
      return new ProcessExit(
          ProcessExit.Kind.LOST,
          OptionalInt.empty(),
          OptionalInt.empty(),
          "the execution node was restarted while the program ran in it",
          clock.now());
    }
    if (recovered instanceof Recovered.Ended ended) {
      return ended.ending();
    }
    return ((Recovered.Lost) recovered).ending();
  }

  // Its end is reported as that of any other; only what it was is not known any more.
  private AttemptRecord unknown(AttemptId attempt) {
    JobSpec spec = JobDraft.command("unknown").timeout(Duration.ZERO).spec();
    return new AttemptRecord(
        new Assignment(attempt, JobKind.SUBMITTED, spec, null, null), clock.now());
  }
}
