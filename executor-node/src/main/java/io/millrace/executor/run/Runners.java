package io.millrace.executor.run;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.executor.batch.EventStream;
import io.millrace.executor.batch.LeasedBatch;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.batch.WorkerEvents;
import io.millrace.executor.run.Runner.CommandRunner;
import io.millrace.executor.run.Runner.ProgramRunner;
import io.millrace.executor.run.Runner.StreamRunner;
import io.millrace.executor.run.Runner.WorkerRunner;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.Clock;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Passes each assignment to the runner for its kind. Thread-safe; no method blocks for long. */
public final class Runners {
  private final Clock clock;
  private final CommandRunner commands;
  private final WorkerRunner workers;
  private final StreamRunner streams;
  private final ProgramRunner programs;
  private final Reattachment reattachment;

  /**
   * Puts the runners together.
   *
   * @param backend starts and watches commands
   * @param calls for calls to queue nodes; its pool starts processes too
   * @param host what is provided to built-in programs
   * @param programs the built-in programs known
   * @param environment variables that jobs take from files of this node
   * @param users that jobs may run as
   * @param managers addresses of the central managers
   */
  public Runners(
      NodeBackend backend,
      BatchCalls calls,
      ProgramHost host,
      Collection<BuiltinProgram> programs,
      JobEnvironment environment,
      UserLookup users,
      List<URI> managers) {
    this.clock = host.clock();
    Finisher finisher = new Finisher();
    LaunchPlan plan = new LaunchPlan(environment, users);
    ProcessLauncher launcher = new ProcessLauncher(backend, plan, finisher, clock, calls.calls());
    this.commands = new CommandRunner(launcher, managers);
    this.workers = new WorkerRunner(launcher, calls, clock);
    this.streams = new StreamRunner(launcher, calls, clock);
    this.programs = new ProgramRunner(programs, host, plan, backend, finisher);
    this.reattachment = new Reattachment(launcher, calls, clock);
  }

  /** Starts an attempt; failures become its result. */
  public AcceptedRun start(Assignment assignment) {
    AttemptRecord record = new AttemptRecord(assignment, clock.now());
    return new AcceptedRun(record, runner(assignment.spec()).start(record));
  }

  /** Takes over an attempt of an earlier agent. */
  public AcceptedRun reattach(RunningCommand recovered) {
    return reattachment.reattach(recovered);
  }

  private Runner runner(JobSpec spec) {
    if (spec.program() != null) {
      return programs;
    }
    if (spec.input() == null) {
      return commands;
    }
    return switch (spec.input().input()) {
      case STDIN -> workers;
      case STREAM -> streams;
      case PULL, SESSION, NONE -> commands;
    };
  }

  /**
   * An attempt that this node has accepted, with this agent or an earlier one.
   *
   * @param record as accepted
   * @param run running or ended
   */
  public record AcceptedRun(AttemptRecord record, AttemptRun run) {}

  /** Takes over attempts of an earlier agent, which then end as all others. */
  private static final class Reattachment {
    private final ProcessLauncher launcher;
    private final BatchCalls calls;
    private final Clock clock;

    Reattachment(ProcessLauncher launcher, BatchCalls calls, Clock clock) {
      this.launcher = launcher;
      this.calls = calls;
      this.clock = clock;
    }

    AcceptedRun reattach(RunningCommand recovered) {
      AttemptDirectory directory = launcher.directory(recovered.id());
      AttemptRecord record =
          KeptFile.ASSIGNMENT.read(directory).orElseGet(() -> unknown(recovered.id()));
      ProcessRun run = launcher.newRun(recovered.id());
      Optional<CompletedRun> known = KeptFile.RESULT.read(directory);
      if (known.isPresent()) {
        run.result().complete(known.get());
        return new AcceptedRun(record, run);
      }
      Optional<WorkerEvents> batch = events(directory, record);
      if (!recovered.ending().isDone()) {
        follow(run, record, batch, recovered);
      } else {
        CommandEnd ending = ending(recovered, record);
        launcher.onPool(
            run, record, () -> launcher.finish(run, record, batch, record.acceptedAt(), ending));
      }
      return new AcceptedRun(record, run);
    }

    private Optional<WorkerEvents> events(AttemptDirectory directory, AttemptRecord record) {
      Optional<WorkerEvents> batch =
          KeptFile.BATCH.read(directory).map(kept -> new LeasedBatch(kept, calls));
      return batch.or(
          () ->
              KeptFile.STREAM
                  .read(directory)
                  .map(
                      kept ->
                          EventStream.continued(
                              kept, StreamRunner.plan(directory, record, kept.taken()), calls)));
    }

    private void follow(
        ProcessRun run,
        AttemptRecord record,
        Optional<WorkerEvents> batch,
        RunningCommand process) {
      batch.ifPresent(events -> events.recovered(process));
      launcher.follow(run, record, batch, process);
    }

    private CommandEnd ending(RunningCommand recovered, AttemptRecord record) {
      if (record.assignment().spec().program() != null) {
        return new CommandEnd(
            CommandEnd.Kind.LOST,
            OptionalInt.empty(),
            OptionalInt.empty(),
            "the execution node was restarted while the program ran in it",
            clock.now());
      }
      return recovered.ending().join();
    }

    // Its end is reported as that of any other; only its assignment is unknown.
    private AttemptRecord unknown(AttemptId attempt) {
      JobSpec spec = JobDraft.command("unknown").timeout(Duration.ZERO).spec();
      return new AttemptRecord(
          new Assignment(attempt, JobKind.SUBMITTED, spec, null, null, null), clock.now());
    }
  }
}
