package io.millrace.api.execution;

import io.millrace.api.job.AttemptId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command to run as one attempt.
 *
 * <p>Only its shape is checked here; an order that cannot be carried out (no such directory, a name
 * that a shell would drop) ends as {@link CommandEnd.Kind#START_FAILED} with the reason.
 *
 * @param id the attempt: the number of its job and that of the try; unique for all time
 * @param argv program and arguments, passed on as they are; no shell reads them
 * @param environment all variables of the command besides those of {@link
 *     BackendContext#environment()}, which they replace
 * @param workingDirectory an existing directory; without it, {@link CommandFiles#work()}
 * @param timeout longest run time from the start, enforced by the backend; zero for none
 * @param grace time between the request to end (TERM) and the end by force (KILL)
 * @param memoryLimit most resident memory of all its processes together in bytes, enforced if the
 *     backend {@linkplain OpenBackend.BackendAbilities#enforcesMemory() can}; 0 for no limit
 * @param exclusion set when its processes must not overlap with those of another attempt
 * @param runAs the user it runs as; that of the node if empty
 * @param pipedInput whether its standard input is a pipe from the node, and not a file
 * @param cpus processors that it asks for; 0 if it asks for none
 * @param resources named consumables that it asks for, such as gpu
 */
@RecordBuilder
public record CommandOrder(
    AttemptId id,
    List<String> argv,
    Map<String, String> environment,
    Optional<Path> workingDirectory,
    Duration timeout,
    Duration grace,
    long memoryLimit,
    Optional<Exclusion> exclusion,
    Optional<RunAs> runAs,
    boolean pipedInput,
    double cpus,
    Map<String, Integer> resources)
    implements CommandOrderBuilder.With {
  public CommandOrder {
    argv = List.copyOf(argv);
    environment = Map.copyOf(environment);
    resources = Map.copyOf(resources);
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

  /**
   * One without a limit of memory, that may overlap with others, runs as the node's user, and has
   * its standard input from a file.
   */
  public CommandOrder(
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
        Optional.empty(),
        false,
        0,
        Map.of());
  }

  /**
   * Of an attempt whose processes must never overlap with those of another: they are killed when
   * its lease was not renewed in time ({@link SingleInstanceLeases}).
   *
   * @param failover how long it may run on without an answer from a central manager; without it, or
   *     if that is longer, for the node's lease
   */
  public record Exclusion(Optional<Duration> failover) {}

  /**
   * Another user than the node's, whose rights an attempt gets.
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
