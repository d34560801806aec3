package io.millrace.cli.job;

import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.AttemptOutput.JobFollower;
import io.millrace.cli.job.Sinks.OutputForm;
import io.millrace.cli.output.Terminal;

/** Follows a job that was just submitted. */
public final class SubmittedJob {
  private final Invocation invocation;
  private final JobView job;

  public SubmittedJob(Invocation invocation, JobView job) {
    this.invocation = invocation;
    this.job = job;
  }

  /** Prints its ID, and the next command as a message. */
  public void print() {
    if (invocation.json()) {
      invocation.terminal().json(job);
      return;
    }
    invocation.line(String.valueOf(job.id()));
    String next = array() ? "millrace job show" : "millrace job logs -f";
    invocation.note("follow it with: %s %d".formatted(next, job.id()));
  }

  /** Shows its output until it has ended; returns the exit code for its outcome. */
  public int awaitEnd() throws InterruptedException {
    JobView ended = followToEnd();
    if (invocation.json()) {
      invocation.terminal().json(ended);
    }
    int code = JobAwaiter.exitCode(invocation.central(), ended);
    if (code != 0) {
      invocation.note("job " + ended.id() + " " + JobFormatter.ending(ended));
    }
    return code;
  }

  /** Shows its output until it has ended; returns its last state. */
  public JobView followToEnd() throws InterruptedException {
    try (InterruptNotice notice = new InterruptNotice(invocation.terminal(), job.id())) {
      return array() ? end(notice) : followed(notice);
    }
  }

  // The output of elements would be interleaved; 'job logs 17[3]' shows that of each.
  private JobView end(InterruptNotice notice) {
    return new JobAwaiter(invocation.central(), invocation.clock(), null).end(notice.job());
  }

  private JobView followed(InterruptNotice notice) throws InterruptedException {
    // With JSON the answer is one value, so the output is written to stderr.
    Sinks sinks =
        new Sinks(
            invocation.json() ? invocation.terminal().messagesOnly() : invocation.terminal(),
            OutputForm.RAW);
    AttemptOutput output = new AttemptOutput(invocation.central(), sinks);
    return new JobFollower(invocation.central(), output, AttemptOutput.BOTH).follow(notice.job());
  }

  private boolean array() {
    return job.progress() != null;
  }

  /**
   * Tells a user who interrupts the command that the job continues. Closed when the job has ended.
   */
  private static final class InterruptNotice implements AutoCloseable {
    private final long job;
    private final Thread hook;

    InterruptNotice(Terminal terminal, long job) {
      this.job = job;
      hook =
          new Thread(
              () ->
                  terminal.note(
                      "\njob %1$d continues; cancel it with: millrace job cancel %1$d"
                          .formatted(job)),
              "interrupt-notice");
      Runtime.getRuntime().addShutdownHook(hook);
    }

    long job() {
      return job;
    }

    @Override
    public void close() {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process is already exiting and has printed the notice.
        return;
      }
    }
  }
}
