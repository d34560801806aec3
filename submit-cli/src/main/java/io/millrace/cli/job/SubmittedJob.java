package io.millrace.cli.job;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.InterruptHooks.Registration;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.AttemptOutput.JobFollower;
import io.millrace.cli.job.Sinks.OutputForm;
import io.millrace.cli.output.Escaping;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** Follows a job that was just submitted. */
public final class SubmittedJob {
  /** How long an interrupted command waits for a server. */
  private static final Duration BRIEFLY = Duration.ofSeconds(3);

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

  /**
   * Shows its output until it has ended; returns its last state. A user who interrupts the command
   * is told that the job continues.
   */
  public JobView followToEnd() throws InterruptedException {
    return follow(this::continues);
  }

  /**
   * The same, but an interruption cancels the job if it has not started, so that it does not keep
   * its place in a lane.
   */
  public JobView followOrCancel() throws InterruptedException {
    ApiClient api = invocation.connection().api();
    return follow(() -> cancelUnlessStarted(api));
  }

  // A held job cannot start, so that the cancellation does not stop one that has just started.
  private void cancelUnlessStarted(ApiClient api) {
    try {
      if (act(api, Verb.HOLD) && act(api, Verb.CANCEL)) {
        invocation.note("\njob %d had not started and was cancelled".formatted(job.id()));
      } else {
        continues();
      }
    } catch (MillraceException e) {
      invocation.note(
          "\njob %1$d was not cancelled (%2$s); cancel it with: millrace job cancel %1$d"
              .formatted(job.id(), Escaping.text(e.getMessage())));
    }
  }

  private boolean act(ApiClient api, Verb verb) {
    JobAction action = JobAction.on(List.of(job.id()), verb, "'try' was interrupted");
    HttpCall call = HttpCall.post(URI.create("/v1/jobs/actions"), action).within(BRIEFLY);
    return api.send(call).as(JobActionAnswer.class).changed() == 1;
  }

  private void continues() {
    invocation.note(
        "\njob %1$d continues; cancel it with: millrace job cancel %1$d".formatted(job.id()));
  }

  private JobView follow(Runnable onInterrupt) throws InterruptedException {
    Registration registration = invocation.hooks().register(onInterrupt);
    try {
      return array() ? end() : followed();
    } finally {
      registration.close();
    }
  }

  // The output of elements would be interleaved; 'job logs 17[3]' shows that of each.
  private JobView end() {
    return new JobAwaiter(invocation.central(), invocation.clock(), null).end(job.id());
  }

  private JobView followed() throws InterruptedException {
    // With JSON the answer is one value, so the output is written to stderr.
    Sinks sinks =
        new Sinks(
            invocation.json() ? invocation.terminal().messagesOnly() : invocation.terminal(),
            OutputForm.RAW);
    AttemptOutput output = new AttemptOutput(invocation.central(), sinks);
    return new JobFollower(invocation.central(), output, AttemptOutput.BOTH).follow(job.id());
  }

  private boolean array() {
    return job.progress() != null;
  }
}
