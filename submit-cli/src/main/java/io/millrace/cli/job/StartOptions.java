package io.millrace.cli.job;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.JobReference;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFile.Merged;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Options about the start of a job and its relation to other jobs. Set by the parser. */
final class StartOptions {
  @Option(
      names = "--array",
      paramLabel = "RANGE",
      description =
          "Run a job for each index: 1-1000 or 0-90:10; 1-1000%%50 runs at most 50 at a time.")
  private ArrayRange array;

  @Option(
      names = "--after-ok",
      split = ",",
      paramLabel = "ID",
      description = "Start only after these jobs succeeded.")
  private final List<JobReference> afterOk = new ArrayList<>();

  @Option(
      names = "--after-any",
      split = ",",
      paramLabel = "ID",
      description = "Start only after these jobs ended, with any outcome.")
  private final List<JobReference> afterAny = new ArrayList<>();

  @Option(
      names = "--after-fail",
      split = ",",
      paramLabel = "ID",
      description = "Start only after these jobs failed or were cancelled.")
  private final List<JobReference> afterFail = new ArrayList<>();

  @Option(names = "--hold", description = "Hold the job until 'millrace job release'.")
  private boolean hold;

  @Option(
      names = "--not-before",
      paramLabel = "WHEN",
      description = "Earliest start, such as +10m or 2026-03-01T12:00:00Z.")
  private Instant notBefore;

  @Option(
      names = "--deadline",
      paramLabel = "WHEN",
      description = "Time by which the job must have ended; otherwise it is stopped and fails.")
  private Instant deadline;

  @Option(
      names = "--lane",
      paramLabel = "NAME",
      description = "Lane of the job; jobs of a lane run one at a time, in order.")
  private String lane;

  @Option(
      names = "--single",
      paramLabel = "NAME",
      description = "Single-instance name; at most one job of this name exists at a time.")
  private String single;

  @Option(
      names = "--restart",
      description = "Restart the job whenever it ends, until it is cancelled.")
  private boolean restart;

  @Option(
      names = "--failover",
      paramLabel = "TIME",
      description =
          "With --single or --lane: how long the job keeps running without contact to a manager.")
  private Duration failover;

  /** Whether the job is restarted whenever it ends. */
  boolean restarts(JobSpec base) {
    return restart || base.restart();
  }

  void apply(JobSpec base, Instant now, ToLongFunction<JobReference> ids, JobDraft draft) {
    String onlyOne = Merged.of(base.single(), single);
    String inLane = Merged.of(base.lane(), lane);
    ArrayRange range = Merged.of(base.array(), array);
    Instant start = Merged.of(base.notBefore(), notBefore);
    Instant end = Merged.of(base.deadline(), deadline);
    Duration effectiveFailover = Merged.of(base.failover(), failover);
    checkNames();
    checkTogether(range, onlyOne, restarts(base));
    checkTimes(start, end, now);
    OptionRefusal.unless(
        effectiveFailover == null || onlyOne != null || inLane != null,
        "--failover",
        "requires --single NAME or --lane NAME");
    draft
        .array(range)
        .hold(hold || base.hold())
        .notBefore(start)
        .deadline(end)
        .lane(inLane)
        .single(onlyOne)
        .restart(restarts(base))
        .failover(effectiveFailover);
    draft.after(Merged.of(base.after(), dependencies(ids)));
  }

  private void checkNames() {
    OptionRefusal.unless(lane == null || !lane.isBlank(), "--lane", "specify the name of the lane");
    OptionRefusal.unless(single == null || !single.isBlank(), "--single", "specify a name");
    OptionRefusal.unless(
        failover == null || !(failover.isZero() || failover.isNegative()),
        "--failover",
        "use a duration above 0, such as 10m");
  }

  private static void checkTogether(ArrayRange range, String onlyOne, boolean restarts) {
    OptionRefusal.unless(
        range == null || onlyOne == null,
        "--single",
        "cannot be used with --array; to run one element at a time, append %1 to the range");
    OptionRefusal.unless(range == null || !restarts, "--restart", "cannot be used with --array");
  }

  private void checkTimes(Instant start, Instant end, Instant now) {
    OptionRefusal.unless(
        end == null || end.isAfter(now), "--deadline", end + " is in the past; use a future time");
    OptionRefusal.unless(
        start == null || end == null || start.isBefore(end),
        deadline == null ? "--not-before" : "--deadline",
        "the deadline (%s) is not after the earliest start (%s)".formatted(end, start));
  }

  private List<Dependency> dependencies(ToLongFunction<JobReference> ids) {
    List<Dependency> all =
        Stream.of(
                after(afterOk, Dependency.End.OK, ids),
                after(afterAny, Dependency.End.ANY, ids),
                after(afterFail, Dependency.End.FAIL, ids))
            .flatMap(List::stream)
            .toList();
    for (Dependency one : all) {
      boolean contradicted =
          all.stream().anyMatch(other -> other.job() == one.job() && other.end() != one.end());
      OptionRefusal.unless(
          !contradicted,
          "--after-" + one.end().name().toLowerCase(java.util.Locale.ROOT),
          "job %d is also given with another --after option; use only one".formatted(one.job()));
    }
    return all;
  }

  private static List<Dependency> after(
      List<JobReference> jobs, Dependency.End end, ToLongFunction<JobReference> ids) {
    return jobs.stream().map(job -> new Dependency(ids.applyAsLong(job), end)).toList();
  }
}
