package io.millrace.executor.run;

import io.millrace.api.job.JobSpec;
import io.millrace.executor.supervision.Launch;
import io.millrace.executor.supervision.Launch.Exclusion;
import io.millrace.executor.supervision.Launch.RunAs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Makes of a job's spec what this node starts. Stateless and thread-safe.
 *
 * @param environment variables from files and secrets
 * @param users that jobs may run as
 */
record LaunchPlan(JobEnvironment environment, UserLookup users) {

  /**
   * What to start for an attempt; reads the files that the job names.
   *
   * @param own variables that Millrace sets, whatever the job says
   * @throws io.millrace.api.MillraceException with what to do when the job cannot be started here
   */
  Launch launch(AttemptRecord record, Map<String, String> own) {
    JobSpec spec = record.assignment().spec();
    Optional<RunAs> user = users.find(spec.runAs());
    Map<String, String> variables = new HashMap<>(environment.of(spec, user));
    variables.putAll(own);
    return new Launch(
        record.attempt(),
        spec.command(),
        variables,
        Optional.ofNullable(spec.cwd()).map(Path::of),
        spec.timeout() == null ? Duration.ZERO : spec.timeout(),
        spec.grace(),
        spec.memory() == null ? 0 : spec.memory().bytes(),
        spec.exclusive()
            ? Optional.of(new Exclusion(Optional.ofNullable(spec.failover())))
            : Optional.empty(),
        user);
  }
}
