package io.millrace.executor.run;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.queue.WorkerInput;
import io.millrace.executor.batch.BatchCalls;
import io.millrace.executor.run.Runner.CommandRunner;
import io.millrace.executor.run.Runner.ProgramRunner;
import io.millrace.executor.run.Runner.WorkerRunner;
import io.millrace.executor.supervision.Recovered;
import io.millrace.executor.supervision.Supervisor;
import io.millrace.platform.clock.Clock;
import java.util.Collection;

/** Gives each assignment to the runner for its kind. Thread-safe; no method blocks for long. */
public final class Runners {
  private final Clock clock;
  private final CommandRunner commands;
  private final WorkerRunner workers;
  private final ProgramRunner programs;
  private final Reattachment reattachment;

  /**
   * Puts the runners together.
   *
   * @param supervisor starts and watches processes
   * @param calls how queue nodes are asked; its pool starts processes too
   * @param host what built-in programs are offered
   * @param programs the built-in programs known
   * @param environment variables that jobs take from files of this node
   * @param users that jobs may run as
   */
  public Runners(
      Supervisor supervisor,
      BatchCalls calls,
      ProgramHost host,
      Collection<BuiltinProgram> programs,
      JobEnvironment environment,
      UserLookup users) {
    this.clock = host.clock();
    Finisher finisher = new Finisher();
    ProcessLauncher launcher =
        new ProcessLauncher(
            supervisor, new LaunchPlan(environment, users), finisher, clock, calls.calls());
    this.commands = new CommandRunner(launcher);
    this.workers = new WorkerRunner(launcher, calls, clock);
    this.programs = new ProgramRunner(programs, host, supervisor, finisher);
    this.reattachment = new Reattachment(launcher, calls, clock);
  }

  /** Begins an attempt; whatever goes wrong is its result. */
  public AcceptedRun start(Assignment assignment) {
    AttemptRecord record = new AttemptRecord(assignment, clock.now());
    return new AcceptedRun(record, runner(assignment.spec()).start(record));
  }

  /** Takes over an attempt of an earlier agent. */
  public AcceptedRun reattach(Recovered recovered) {
    return reattachment.reattach(recovered);
  }

  private Runner runner(JobSpec spec) {
    if (spec.program() != null) {
      return programs;
    }
    boolean fed = spec.input() != null && spec.input().input() == WorkerInput.STDIN;
    return fed ? workers : commands;
  }

  /**
   * An attempt that this node has accepted, in this life of its agent or an earlier one.
   *
   * @param record as accepted
   * @param run goes on, or has ended
   */
  public record AcceptedRun(AttemptRecord record, Run run) {}
}
