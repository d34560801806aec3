package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The main process of a job with retries is killed or frozen; counts if one was alive. */
public final class JobProcessFault implements Fault {
  private static final Duration TIMEOUT = Duration.ofSeconds(4);
  // Names of jobs that have retries or are always restarted.
  private static final Predicate<String> TRIED_AGAIN =
      Pattern.compile("^(single|lane|restarted)-").asPredicate();

  private final FaultKind kind;
  private final Duration shortest;
  private final Duration longest;
  private ProcessHandle victim;
  private Instant started;
  private String hit;

  private JobProcessFault(FaultKind kind, Duration shortest, Duration longest) {
    this.kind = kind;
    this.shortest = shortest;
    this.longest = longest;
  }

  /** A kill and a freeze for seconds. */
  static List<Fault> shortOnes() {
    return List.of(
        new JobProcessFault(FaultKind.KILL, Duration.ZERO, Duration.ofMillis(1)),
        new JobProcessFault(FaultKind.SHORT_FREEZE, Duration.ofSeconds(2), Duration.ofSeconds(12)));
  }

  /** A freeze for minutes. */
  static List<Fault> longOnes() {
    return List.of(
        new JobProcessFault(
            FaultKind.LONG_FREEZE, Duration.ofSeconds(121), Duration.ofSeconds(150)));
  }

  @Override
  public FaultCell cell() {
    return new FaultCell(kind, FaultRole.JOB_PROCESS);
  }

  @Override
  public void begin(DrillCluster cluster) {
    hit =
        cluster
            .workInProgress()
            .awaitJobProcess(words -> words.stream().anyMatch(TRIED_AGAIN), TIMEOUT)
            .flatMap(this::inject)
            .orElse(null);
  }

  private Optional<String> inject(JobProcesses.JobProcess process) {
    Optional<ProcessHandle> found = ProcessHandle.of(process.pid());
    found.ifPresent(
        one -> {
          victim = one;
          started = one.info().startInstant().orElse(Instant.EPOCH);
          signal(kind == FaultKind.KILL ? "KILL" : "STOP");
        });
    return found.map(one -> "attempt " + process.attempt());
  }

  @Override
  public void end(DrillCluster cluster) {
    boolean same =
        hit != null
            && victim.isAlive()
            && victim.info().startInstant().orElse(Instant.EPOCH).equals(started);
    if (same && kind != FaultKind.KILL) {
      signal("CONT");
    }
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + victim.pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Set<String> touches() {
    return Set.of("a job's process");
  }

  @Override
  public Set<String> targets() {
    // Only a kill explains the end of the attempt.
    return Set.of(hit == null || kind != FaultKind.KILL ? "a job's process" : hit);
  }

  @Override
  public Set<String> disturbs() {
    return Set.of();
  }

  @Override
  public Optional<String> hit() {
    return Optional.ofNullable(hit);
  }

  @Override
  public Duration shortest() {
    return shortest;
  }

  @Override
  public Duration longest() {
    return longest;
  }

  @Override
  public String toString() {
    return kind.words() + ": a job's process" + (hit == null ? "" : " (" + hit + ")");
  }
}
