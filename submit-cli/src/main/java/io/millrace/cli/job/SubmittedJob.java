package io.millrace.cli.job;

import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.Sinks.OutputForm;
import io.millrace.cli.output.Terminal;

/** A job just submitted, as the one who submitted it follows it. */
public final class SubmittedJob {
  private final Invocation invocation;
  private final JobView job;

  public SubmittedJob(Invocation invocation, JobView job) {
    this.invocation = invocation;
    this.job = job;
  }

  /** Prints its id, and the next command as a message. */
  public void tell() {
    if (invocation.json()) {
      invocation.terminal().json(job);
      return;
    }
    invocation.line(String.valueOf(job.id()));
    String next = array() ? "millrace job show " : "millrace job logs -f ";
    invocation.note("follow it with: " + next + job.id());
  }

  /** Shows its output until it has ended; gives the exit code that tells how. */
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

  /** Shows its output until it has ended; gives its last state. */
  public JobView followToEnd() throws InterruptedException {
    try (InterruptNotice notice = new InterruptNotice(invocation.terminal(), job.id())) {
      return array() ? end(notice) : followed(notice);
    }
  }

  // The elements' output would be a jumble; 'job logs 17[3]' shows each.
  private JobView end(InterruptNotice notice) {
    return new JobAwaiter(invocation.central(), invocation.clock(), null).end(notice.job());
  }

  private JobView followed(InterruptNotice notice) throws InterruptedException {
    // As JSON the answer is one value, so that the output goes where messages go.
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
   * Tells somebody who stops waiting that the job goes on. Closed when there is nothing left to
   * tell.
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
                      "\njob " + job + " goes on; end it with: millrace job cancel " + job),
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
        // The process ends already and has told.
        return;
      }
    }
  }
}
