package io.millrace.tests.drill.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The number of processes of each role in a drill's cluster.
 *
 * @param centrals c1, c2 ...; more than one needs a database server
 * @param queueNodes q1, q2 ...
 * @param balancers lb1, lb2 ...
 * @param executionNodes e1, e2 ...
 * @param database the server that the central managers share; empty for an H2 file
 */
public record Shape(
    int centrals,
    int queueNodes,
    int balancers,
    int executionNodes,
    Optional<SharedDatabase> database) {
  /** A cluster that stores and delivers events. */
  public static Shape ofQueues(
      int centrals, int queueNodes, int balancers, Optional<SharedDatabase> database) {
    return new Shape(centrals, queueNodes, balancers, 0, database);
  }

  /** A cluster that runs jobs. */
  public static Shape ofJobs(int centrals, int executionNodes, Optional<SharedDatabase> database) {
    return new Shape(centrals, 0, 0, executionNodes, database);
  }

  public List<String> centralNames() {
    return names("c", centrals);
  }

  public List<String> queueNodeNames() {
    return names("q", queueNodes);
  }

  public List<String> balancerNames() {
    return names("lb", balancers);
  }

  public List<String> executionNodeNames() {
    return names("e", executionNodes);
  }

  /** Names of the processes that share a cluster view. */
  public List<String> memberNames() {
    return Stream.concat(queueNodeNames().stream(), balancerNames().stream()).toList();
  }

  /** Names of the processes that follow the central managers. */
  public List<String> followerNames() {
    return Stream.concat(memberNames().stream(), executionNodeNames().stream()).toList();
  }

  /** All process names, in start order. */
  public List<String> names() {
    List<String> names = new ArrayList<>(centralNames());
    names.addAll(followerNames());
    return names;
  }

  private static List<String> names(String prefix, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(number -> prefix + number).toList();
  }
}
