package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.cluster.JobProcesses.JobProcess;
import io.millrace.tests.drill.network.Link;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Measures whether a process has work in progress, so that a fault counts only if it hits some.
 * Thread-safe.
 *
 * <ul>
 *   <li>A central manager, and the database: within the last second it sent (was sent) a statement
 *       that changes jobs, attempts, runs of tasks or weights; with an embedded database, a node or
 *       client sent it a request.
 *   <li>An execution node: a process of a job that it started is alive.
 *   <li>A queue node, and a load balancer: within the last second a request with events, or for
 *       events, was on its way to it.
 * </ul>
 */
public final class WorkInProgress {
  private static final Duration LATELY = Duration.ofSeconds(1);
  private static final long LOOK_MILLIS = 50;

  private final Shape shape;
  private final Links links;
  private final Predicate<String> lives;
  // Names of execution nodes by their ids.
  private final Map<String, String> nodes = new ConcurrentHashMap<>();

  WorkInProgress(Shape shape, Links links, Predicate<String> lives) {
    this.shape = shape;
    this.links = links;
    this.lives = lives;
  }

  void known(String id, String node) {
    nodes.put(id, node);
  }

  /**
   * Waits at most that long until one of the processes has work in progress.
   *
   * @return the work; empty if there is none
   */
  public Optional<String> await(Set<String> processes, Duration patience) {
    long began = System.nanoTime();
    while (true) {
      Optional<String> work =
          processes.stream().map(this::work).flatMap(Optional::stream).findFirst();
      if (work.isPresent() || System.nanoTime() - began >= patience.toNanos()) {
        return work;
      }
      pause();
    }
  }

  /**
   * Waits at most that long for a process of a job of this cluster with a matching command line.
   */
  Optional<JobProcess> awaitJobProcess(Predicate<List<String>> command, Duration patience) {
    long began = System.nanoTime();
    while (true) {
      Optional<JobProcess> found =
          JobProcesses.all().stream()
              .filter(one -> nodes.containsKey(one.node()) && command.test(one.words()))
              .findAny();
      if (found.isPresent() || System.nanoTime() - began >= patience.toNanos()) {
        return found;
      }
      pause();
    }
  }

  private synchronized void pause() {
    try {
      wait(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<String> work(String process) {
    return switch (FaultRole.of(process)) {
      case DATABASE -> lately(links.toDatabase(), "a change of jobs, runs or weights");
      case CENTRAL_MANAGER -> lives.test(process) ? central(process) : Optional.empty();
      case EXECUTION_NODE -> running(process);
      case QUEUE_NODE, LOAD_BALANCER ->
          lives.test(process)
              ? lately(links.to(process), "requests with events")
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  private Optional<String> central(String name) {
    return shape.database().isPresent()
        ? lately(List.of(links.get(name + ">database")), "a change of jobs, runs or weights")
        : lately(links.to(name), "requests");
  }

  private static Optional<String> lately(List<Link> some, String words) {
    return some.stream()
        .filter(link -> link.traffic().within(LATELY))
        .findFirst()
        .map(link -> words + " over " + link.name());
  }

  private Optional<String> running(String node) {
    long count =
        JobProcesses.all().stream().filter(one -> node.equals(nodes.get(one.node()))).count();
    return count == 0 ? Optional.empty() : Optional.of(count + " processes of jobs");
  }
}
