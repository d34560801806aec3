package io.millrace.tests.drill;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How many processes of each role a drill's cluster has.
 *
 * @param centrals c1, c2 ...; more than one needs a database server
 * @param queueNodes q1, q2 ...
 * @param balancers lb1, lb2 ...
 * @param database the server that the central managers share; empty for an H2 file
 */
record Shape(int centrals, int queueNodes, int balancers, Optional<SharedDatabase> database) {
  /** Another number of processes and no database server. */
  Shape(int centrals, int queueNodes, int balancers) {
    this(centrals, queueNodes, balancers, Optional.empty());
  }

  List<String> centralNames() {
    return names("c", centrals);
  }

  List<String> queueNodeNames() {
    return names("q", queueNodes);
  }

  List<String> balancerNames() {
    return names("lb", balancers);
  }

  /** Those that follow the central managers. */
  List<String> followerNames() {
    return Stream.concat(queueNodeNames().stream(), balancerNames().stream()).toList();
  }

  /** Everybody, in the order of the start. */
  List<String> names() {
    List<String> names = new ArrayList<>(centralNames());
    names.addAll(followerNames());
    return names;
  }

  private static List<String> names(String prefix, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(number -> prefix + number).toList();
  }
}
