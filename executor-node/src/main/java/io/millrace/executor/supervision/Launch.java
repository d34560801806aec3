package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to run as one attempt.
 *
 * <p>Only its shape is checked here; a launch that cannot be carried out (no such directory, a name
 * the shell would drop) ends as {@link ProcessExit.Kind#START_FAILED} with the reason.
 *
 * @param id the attempt
 * @param argv program and arguments, passed on as they are; no shell reads them
 * @param environment added to the clean base environment
 * @param workingDirectory an existing directory; without it, {@code work} in the attempt's own
 * @param timeout longest run time from the start; zero for none
 * @param grace time between the request to end (TERM) and the end by force (KILL)
 * @param memoryLimit most resident memory of all processes together in bytes; 0 for no limit
 * @param exclusion set when its processes must not overlap with those of another attempt
 * @param runAs the user it runs as; the agent's own if empty
 * @param pipedInput whether its standard input is a pipe from the agent, and not a file
 */
public record Launch(
    AttemptId id,
    List<String> argv,
    Map<String, String> environment,
    Optional<Path> workingDirectory,
    Duration timeout,
    Duration grace,
    long memoryLimit,
    Optional<Exclusion> exclusion,
    Optional<RunAs> runAs,
    boolean pipedInput) {
  public Launch {
    argv = List.copyOf(argv);
    environment = Map.copyOf(environment);
    if (timeout.isNegative() || grace.isNegative() || memoryLimit < 0) {
      throw new IllegalArgumentException(
          "attempt "
              + id
              + ": timeout "
              + timeout
              + ", grace "
              + grace
              + " and memory limit "
              + memoryLimit
              + " must not be below 0");
    }
  }

  /** One without a limit of memory, that may overlap with others and runs as the agent's user. */
  public Launch(
      AttemptId id,
      List<String> argv,
      Map<String, String> environment,
      Optional<Path> workingDirectory,
      Duration timeout,
      Duration grace) {
    this(
        id,
        argv,
        environment,
        workingDirectory,
        timeout,
        grace,
        0,
        Optional.empty(),
        Optional.empty());
  }

  /** One whose standard input is a file. */
  public Launch(
      AttemptId id,
      List<String> argv,
      Map<String, String> environment,
      Optional<Path> workingDirectory,
      Duration timeout,
      Duration grace,
      long memoryLimit,
      Optional<Exclusion> exclusion,
      Optional<RunAs> runAs) {
    this(
        id,
        argv,
        environment,
        workingDirectory,
        timeout,
        grace,
        memoryLimit,
        exclusion,
        runAs,
        false);
  }

  /**
   * Of an attempt whose processes must never overlap with those of another: a watchdog kills them
   * when its lease was not renewed in time.
   *
   * @param failover how long it may run on without an answer from a central manager; without it, or
   *     if that is longer, for the node's lease
   */
  public record Exclusion(Optional<Duration> failover) {}

  /**
   * Another user than the agent's, whose rights an attempt gets.
   *
   * @param name the user's name
   * @param user its number, never 0
   * @param group number of its main group
   */
  public record RunAs(String name, int user, int group) {
    public RunAs {
      if (user <= 0) {
        throw new IllegalArgumentException("attempts never run as user " + user);
      }
    }
  }
}
