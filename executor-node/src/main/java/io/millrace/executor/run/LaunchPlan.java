package io.millrace.executor.run;

import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.Exclusion;
import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.executor.session.SessionHostSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Translates a job's spec into what this node starts. Stateless and thread-safe.
 *
 * @param environment variables from files and secrets
 * @param users that jobs may run as
 */
public record LaunchPlan(JobEnvironment environment, UserLookup users) {

  /** Why this node does not run the job as its user; empty if it does. */
  Optional<String> refusal(JobSpec spec) {
    try {
      users.find(spec.runAs());
      return Optional.empty();
    } catch (MillraceException e) {
      return Optional.of(e.getMessage());
    }
  }

  /**
   * What to start for an attempt; reads the files that the job names.
   *
   * @param own variables that Millrace sets, which override the job's
   * @throws MillraceException with what to do if the job cannot be started on this node
   */
  public CommandOrder launch(AttemptId attempt, JobSpec spec, Map<String, String> own) {
    Optional<RunAs> user = users.find(spec.runAs());
    Map<String, String> variables = new HashMap<>(environment.of(spec, user));
    variables.putAll(own);
    return new CommandOrder(
        attempt,
        argv(spec),
        variables,
        Optional.ofNullable(spec.cwd()).map(Path::of),
        spec.timeout() == null || streams(spec) || hostsSessions(spec)
            ? Duration.ZERO
            : spec.timeout(),
        spec.grace(),
        spec.memory() == null ? 0 : spec.memory().bytes(),
        spec.exclusive()
            ? Optional.of(new Exclusion(Optional.ofNullable(spec.failover())))
            : Optional.empty(),
        user,
        streams(spec),
        spec.cpu() == null ? 0 : spec.cpu(),
        spec.resources());
  }

  /** The command of the job, or of the host that starts it for each session. */
  private static List<String> argv(JobSpec spec) {
    return hostsSessions(spec) ? SessionHostSettings.of(spec).hostCommand() : spec.command();
  }

  // The timeout is one for each event, which the host watches.
  private static boolean hostsSessions(JobSpec spec) {
    return spec.input() != null && spec.input().input() == WorkerInput.SESSION;
  }

  // The timeout of a stream is one for each event, which the stream watches.
  private static boolean streams(JobSpec spec) {
    return spec.input() != null && spec.input().input() == WorkerInput.STREAM;
  }
}
