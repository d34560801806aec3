package io.millrace.cli.job;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFile.Merged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** Options about retries. Set by the parser. */
final class RetryOptions {
  @Option(
      names = "--retries",
      paramLabel = "N",
      description = "Maximum number of retries (default: 0).")
  private Integer retries;

  @Option(
      names = "--backoff",
      paramLabel = "TIME",
      description = "Delay before the first retry; doubles with each retry (default: 1s).")
  private Duration backoff;

  @Option(
      names = "--max-backoff",
      paramLabel = "TIME",
      description = "Maximum delay before a retry (default: 5m).")
  private Duration maxBackoff;

  @Option(
      names = "--retry-on",
      split = ",",
      paramLabel = "KIND",
      description =
          "Retry only after these: exit, signal, timeout, memory, node-lost, start-failed."
              + " Without node-lost, the job fails when its node is lost.")
  private final Set<FailureKind> kinds = new LinkedHashSet<>();

  @Option(
      names = "--retry-exit-codes",
      split = ",",
      paramLabel = "CODE",
      description = "Retry only after these exit codes.")
  private final Set<Integer> exitCodes = new TreeSet<>();

  @Option(
      names = "--final-exit-codes",
      split = ",",
      paramLabel = "CODE",
      description = "Never retry after these exit codes.")
  private final Set<Integer> finalExitCodes = new TreeSet<>();

  @Option(
      names = "--retry-scale",
      paramLabel = "FACTOR",
      description = "Multiply the memory or the timeout by this when an attempt exceeded it.")
  private Double scale;

  @Option(
      names = "--fallback",
      split = ",",
      paramLabel = "POOL",
      description = "Pools to try when no node of its pool has the memory after --retry-scale.")
  private final List<String> fallback = new ArrayList<>();

  void apply(JobSpec base, boolean restarts, JobDraft draft) {
    RetryPolicy old = base.retry();
    RetryPolicy policy = policy(old);
    check(policy, restarts);
    draft.retry(policy);
  }

  private RetryPolicy policy(RetryPolicy old) {
    OptionRefusal.outside("--retries", retries, 0, 10_000);
    OptionRefusal.unless(
        scale == null || (scale >= 1 && scale <= 100), "--retry-scale", "use 1 to 100");
    return new RetryPolicy(
        Merged.of(old.max(), retries),
        Merged.of(old.backoff(), backoff),
        Merged.of(old.maxBackoff(), maxBackoff),
        kinds.isEmpty() ? old.on() : kinds,
        exitCodes.isEmpty() ? old.exitCodes() : exitCodes,
        finalExitCodes.isEmpty() ? old.finalExitCodes() : finalExitCodes,
        scale == null ? old.scale() : ResourceScale.by(scale),
        fallback.isEmpty() ? old.fallback() : fallback);
  }

  private void check(RetryPolicy policy, boolean restarts) {
    OptionRefusal.unless(
        !restarts || policy.max() == 0, "--retries", "cannot be used with --restart");
    boolean retried = policy.max() > 0;
    needsRetries("--backoff", backoff != null, retried);
    needsRetries("--max-backoff", maxBackoff != null, retried);
    // Without retries it still says whether a job whose node is lost fails.
    needsRetries("--retry-on", !kinds.isEmpty(), retried || retries != null);
    needsRetries("--retry-exit-codes", !exitCodes.isEmpty(), retried);
    needsRetries("--final-exit-codes", !finalExitCodes.isEmpty(), retried);
    needsRetries("--retry-scale", scale != null, retried);
    OptionRefusal.unless(
        fallback.isEmpty() || policy.scale() != null, "--fallback", "requires --retry-scale");
    OptionRefusal.unless(
        backoff == null || !backoff.isNegative(),
        "--backoff",
        "use a duration of 0s or more, not " + backoff);
    OptionRefusal.unless(
        policy.maxBackoff().compareTo(policy.backoff()) >= 0,
        maxBackoff == null ? "--backoff" : "--max-backoff",
        "the maximum delay is shorter than the first one; increase --max-backoff or reduce"
            + " --backoff");
    exitCodes.forEach(code -> OptionRefusal.outside("--retry-exit-codes", code, 1, 255));
    finalExitCodes.forEach(code -> OptionRefusal.outside("--final-exit-codes", code, 1, 255));
    for (int code : exitCodes) {
      OptionRefusal.unless(
          !policy.finalExitCodes().contains(code),
          "--retry-exit-codes",
          "exit code %d is also given with --final-exit-codes; use only one".formatted(code));
    }
  }

  private static void needsRetries(String option, boolean given, boolean retried) {
    OptionRefusal.unless(!given || retried, option, "requires --retries N");
  }
}
