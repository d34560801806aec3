package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.Sizes;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.placement.FreeCapacity.FreeLicences;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.ShapeCandidate.Obstacle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Messages about why jobs wait, with amounts. Not thread-safe; used for one plan. */
@Pure
final class WaitMessages {
  static final WaitReason TURN =
      new WaitReason(WaitCode.TURN, "other jobs come first, by priority, fair share or age");

  private static final int MAX_NAMES = 3;
  private static final String ROOT = "root";

  /** A node that does not take the job. */
  private record NodeRefusal(FreeCapacity node, Obstacle obstacle) {}

  private final String pool;
  private final List<FreeCapacity> nodes;
  private final FreeLicences licences;

  WaitMessages(String pool, List<FreeCapacity> nodes, FreeLicences licences) {
    this.pool = pool;
    this.nodes = nodes;
    this.licences = licences;
  }

  WaitReason lackingLicence(Shape shape) {
    return new WaitReason(WaitCode.LICENCE, licences.lacking(shape));
  }

  /** Why no node takes the job, by the nodes that are closest to taking it. */
  WaitReason why(ShapeCandidate candidate, ReadyJob job) {
    if (nodes.isEmpty()) {
      return new WaitReason(WaitCode.NO_NODE, "no execution node serves pool " + pool);
    }
    List<NodeRefusal> refusals = new ArrayList<>();
    for (FreeCapacity node : nodes) {
      Obstacle obstacle = candidate.obstacle(node, job);
      if (obstacle == null) {
        return new WaitReason(
            WaitCode.SOON, "node " + node.node().name() + " has free capacity for it");
      }
      refusals.add(new NodeRefusal(node, obstacle));
    }
    Obstacle min =
        refusals.stream().map(NodeRefusal::obstacle).max(Comparator.naturalOrder()).orElseThrow();
    List<FreeCapacity> closest =
        refusals.stream()
            .filter(refusal -> refusal.obstacle() == min)
            .map(NodeRefusal::node)
            .toList();
    return new WaitReason(min.code(), message(min, candidate, job, closest));
  }

  /** Why one node does not take the job; null if it does. */
  WaitReason why(ShapeCandidate candidate, ReadyJob job, FreeCapacity node) {
    Obstacle obstacle = candidate.obstacle(node, job);
    return obstacle == null
        ? null
        : new WaitReason(obstacle.code(), message(obstacle, candidate, job, List.of(node)));
  }

  private String message(
      Obstacle obstacle, ShapeCandidate candidate, ReadyJob job, List<FreeCapacity> closest) {
    Shape shape = candidate.shape();
    return switch (obstacle) {
      case NO_MATCH -> candidate.test().mismatch(closest.stream().map(FreeCapacity::node).toList());
      case NO_USER -> noUser(shape.user(), closest);
      case TOO_LARGE -> tooLarge(shape, closest);
      case NOT_ASKED ->
          "%s take%s only jobs that ask for %s: prefer the queue node on the same host, or require its name or a label"
              .formatted(
                  names(closest),
                  closest.size() == 1 ? "s" : "",
                  closest.size() == 1 ? "it" : "them");
      case UNAVAILABLE -> each(closest, node -> node.node().unavailable());
      case QUICK_FAILURES -> each(closest, node -> candidate.denial(node, job));
      case NO_SLOT -> noSlot(shape, closest);
      case NO_RESOURCE -> noResource(shape, closest);
      case RESERVED -> reserved(closest.get(0));
    };
  }

  private static String noUser(ShapeUser user, List<FreeCapacity> closest) {
    boolean one = closest.size() == 1;
    if (user.name() == null) {
      return "%s run%s no jobs that name no user: name one (runAs), or set limits.defaultUser or limits.allowRoot there"
          .formatted(names(closest), one ? "s" : "");
    }
    if (user.name().equals(ROOT)) {
      return "jobs never run as root by name: name no user, and set limits.allowRoot on a node";
    }
    return "%s do%s not run jobs as user '%s': add it to limits.runAsUsers there, where the agent must run as root"
        .formatted(names(closest), one ? "es" : "", user.name());
  }

  private static String tooLarge(Shape shape, List<FreeCapacity> closest) {
    long slots = most(closest, node -> node.node().capacity().slots());
    if (shape.slots() > slots) {
      return "needs %s; the largest matching node has %d".formatted(slots(shape.slots()), slots);
    }
    long cpus = most(closest, node -> Math.round(node.node().capacity().cpus() * 1000));
    if (cpus > 0 && shape.cpuMillis() > cpus) {
      return mostOfOneNode(cpus(shape.cpuMillis()), number(cpus));
    }
    long memory = most(closest, node -> node.node().capacity().memoryBytes());
    if (memory > 0 && shape.memoryBytes() > memory) {
      return mostOfOneNode(memory(shape.memoryBytes(), memory), size(memory, shape.memoryBytes()));
    }
    for (Map.Entry<String, Integer> requested : shape.sortedResources().entrySet()) {
      long has =
          most(
              closest,
              node -> node.node().capacity().resources().getOrDefault(requested.getKey(), 0));
      if (requested.getValue() > has) {
        return mostOfOneNode(requested.getValue() + " " + requested.getKey(), Long.toString(has));
      }
    }
    return "no single node has everything that it needs";
  }

  private static String noSlot(Shape shape, List<FreeCapacity> closest) {
    if (shape.slots() == 0) {
      return count(closest) + " must first start the jobs that it already has";
    }
    long free = most(closest, node -> Math.max(0, node.freeSlots()));
    long all = closest.stream().mapToLong(node -> node.node().capacity().slots()).sum();
    return free == 0
        ? "all %s of %s are in use".formatted(slots(all), count(closest))
        : mostFree(slots(shape.slots()), Long.toString(free));
  }

  private static String noResource(Shape shape, List<FreeCapacity> closest) {
    long cpu = most(closest, FreeCapacity::freeCpuMillis);
    boolean statesCpu = closest.stream().allMatch(node -> node.node().capacity().cpus() > 0);
    if (statesCpu && shape.cpuMillis() > cpu) {
      return mostFree(cpus(shape.cpuMillis()), number(Math.max(0, cpu)));
    }
    long memory = most(closest, FreeCapacity::freeMemory);
    boolean statesMemory =
        closest.stream().allMatch(node -> node.node().capacity().memoryBytes() > 0);
    if (statesMemory && shape.memoryBytes() > memory) {
      long free = Math.max(0, memory);
      return mostFree(memory(shape.memoryBytes(), free), size(free, shape.memoryBytes()));
    }
    for (Map.Entry<String, Integer> requested : shape.sortedResources().entrySet()) {
      long free = most(closest, node -> node.freeResource(requested.getKey()));
      if (requested.getValue() > free) {
        return mostFree(
            requested.getValue() + " " + requested.getKey(), Long.toString(Math.max(0, free)));
      }
    }
    return "no single node has everything that it needs free";
  }

  private String reserved(FreeCapacity node) {
    ShapeCandidate other = node.reservedFor();
    return "%s is reserved for a job of %s that has waited longer"
        .formatted(node.node().name(), slots(other.shape().slots()));
  }

  private static String mostOfOneNode(String needed, String max) {
    return "needs %s; the most on one node is %s".formatted(needed, max);
  }

  private static String mostFree(String needed, String max) {
    return "needs %s; the most free on one node is %s".formatted(needed, max);
  }

  private static long most(List<FreeCapacity> nodes, ToLongFunction<FreeCapacity> what) {
    return nodes.stream().mapToLong(what).max().orElse(0);
  }

  private static String each(List<FreeCapacity> nodes, Function<FreeCapacity, String> what) {
    String first =
        nodes.stream()
            .limit(MAX_NAMES)
            .map(node -> node.node().name() + " " + what.apply(node))
            .collect(Collectors.joining("; "));
    return first + more(nodes);
  }

  private static String names(List<FreeCapacity> nodes) {
    return nodes.stream()
            .limit(MAX_NAMES)
            .map(node -> node.node().name())
            .collect(Collectors.joining(", "))
        + more(nodes);
  }

  private static String more(List<FreeCapacity> nodes) {
    return nodes.size() > MAX_NAMES ? " and " + (nodes.size() - MAX_NAMES) + " more" : "";
  }

  private static String count(List<FreeCapacity> nodes) {
    return nodes.size() == 1 ? "node " + names(nodes) : nodes.size() + " matching nodes";
  }

  private static String slots(long count) {
    return count + (count == 1 ? " slot" : " slots");
  }

  private static String cpus(long millis) {
    return number(millis) + (millis == 1000 ? " processor" : " processors");
  }

  private static String number(long millis) {
    return millis % 1000 == 0
        ? Long.toString(millis / 1000)
        : String.format(Locale.ROOT, "%.2f", millis / 1000.0);
  }

  private static String memory(long bytes, long compared) {
    return size(bytes, compared) + " memory";
  }

  /** Exact, if it would otherwise look the same as the other one. */
  private static String size(long bytes, long compared) {
    String readable = Sizes.readable(bytes);
    return readable.equals(Sizes.readable(compared)) ? Sizes.format(bytes) : readable;
  }
}
