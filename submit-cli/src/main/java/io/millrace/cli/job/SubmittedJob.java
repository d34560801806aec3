package io.millrace.cli.job;

import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;

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
    invocation.terminal().line(String.valueOf(job.id()));
    String next = array() ? "millrace job show " : "millrace job logs -f ";
    invocation.terminal().note("follow it with: " + next + job.id());
  }

  /** Shows its output until it has ended; gives the exit code that tells how. */
  public int awaitEnd() throws InterruptedException {
    JobView ended = followToEnd();
    if (invocation.json()) {
      invocation.terminal().json(ended);
    }
    int code = new EndCodes(invocation.central()).of(ended);
    if (code != 0) {
      invocation.terminal().note("job " + ended.id() + " " + JobFormatter.ending(ended));
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
}
