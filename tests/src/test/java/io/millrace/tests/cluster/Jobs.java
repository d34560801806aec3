package io.millrace.tests.cluster;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** Submits jobs as an operator and waits for them. */
public final class Jobs {
  private static final Duration SOON = Duration.ofMinutes(3);

  private final CentralClient central;

  public Jobs(CentralClient central) {
    this.central = central;
  }

  /**
   * A job that runs a shell script; {@code $0} is the script's name, {@code $1} … its arguments.
   */
  public static Draft shell(String script, Object... arguments) {
    return new Draft(script, List.of(arguments), Map.of(), null, 1, 0, null, null);
  }

  /** A job before its submission; omitted fields have their defaults. */
  public record Draft(
      String script,
      List<Object> arguments,
      Map<String, String> env,
      String cwd,
      int slots,
      int priority,
      Duration timeout,
      RetryPolicy retry) {
    public Draft with(Map<String, String> other) {
      return new Draft(script, arguments, other, cwd, slots, priority, timeout, retry);
    }

    public Draft in(Object folder) {
      return new Draft(script, arguments, env, folder.toString(), slots, priority, timeout, retry);
    }

    public Draft taking(int all) {
      return new Draft(script, arguments, env, cwd, all, priority, timeout, retry);
    }

    public Draft priority(int rank) {
      return new Draft(script, arguments, env, cwd, slots, rank, timeout, retry);
    }

    public Draft within(Duration limit) {
      return new Draft(script, arguments, env, cwd, slots, priority, limit, retry);
    }

    public Draft retried(int max) {
      RetryPolicy policy = RetryPolicy.upTo(max, Duration.ofMillis(50), Duration.ofMillis(200));
      return new Draft(script, arguments, env, cwd, slots, priority, timeout, policy);
    }

    private JobSpec spec() {
      List<String> command = new ArrayList<>(List.of("sh", "-c", script, "script"));
      arguments.forEach(argument -> command.add(argument.toString()));
      return JobDraft.command(command)
          .env(env)
          .cwd(cwd)
          .slots(slots)
          .priority(priority)
          .timeout(timeout)
          .grace(Duration.ofSeconds(1))
          .retry(retry)
          .spec();
    }
  }

  /** Submits it; returns the job's id. */
  public long submit(Draft draft) {
    return central.submit(draft.spec()).id();
  }

  /** Submits it and waits for its end. */
  public JobView run(Draft draft) {
    return ended(submit(draft));
  }

  /** Waits for the job's end. */
  public JobView ended(long id) {
    JobView job = central.await(id, SOON);
    if (!job.state().ended()) {
      throw new AssertionError("job " + id + " is still " + job.state() + ": " + job.reason());
    }
    return job;
  }

  /** Waits until the job is in that state and attempt. */
  public JobView reached(long id, JobState state, int attempt) {
    return Awaitility.await("job " + id + " is " + state + " in attempt " + attempt)
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> central.job(id).job(), job -> job.state() == state && job.attempt() == attempt);
  }

  /** The complete output of an attempt on a stream; attempt 0 is the last one. */
  public String output(long id, int attempt, String stream) throws IOException {
    try (InputStream log = central.logs(id, attempt, stream, 0, false)) {
      return new String(log.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
