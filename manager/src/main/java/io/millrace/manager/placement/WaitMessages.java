package io.millrace.manager.placement;

import io.millrace.api.DataSize;
import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.placement.FreeCapacity.Licences;
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

/** Says why jobs wait, with the figures. Not thread-safe; lives as long as the rooms. */
@Pure
final class WaitMessages {
  static final WaitReason TURN =
      new WaitReason(
          WaitCode.TURN,
          "others of higher priority, with less of their fair share, or older, come first");

  private static final int MOST_NAMES = 3;

  /** A node that keeps the job off. */
  private record Refusal(FreeCapacity room, Obstacle obstacle) {}

  private final String pool;
  private final List<FreeCapacity> rooms;
  private final Licences licences;

  WaitMessages(String pool, List<FreeCapacity> rooms, Licences licences) {
    this.pool = pool;
    this.rooms = rooms;
    this.licences = licences;
  }

  WaitReason lackingLicence(Shape shape) {
    return new WaitReason(WaitCode.LICENCE, licences.lacking(shape));
  }

  /** Why no node takes the job: what the nodes say that are closest to taking it. */
  WaitReason why(ShapeCandidate contender, ReadyJob job) {
    if (rooms.isEmpty()) {
      return new WaitReason(WaitCode.NO_NODE, "no execution node serves pool " + pool);
    }
    List<Refusal> refusals = new ArrayList<>();
    for (FreeCapacity room : rooms) {
      Obstacle obstacle = contender.obstacle(room, job);
      if (obstacle == null) {
        return new WaitReason(WaitCode.SOON, "node " + room.node().name() + " has room for it");
      }
      refusals.add(new Refusal(room, obstacle));
    }
    Obstacle closest =
        refusals.stream().map(Refusal::obstacle).max(Comparator.naturalOrder()).orElseThrow();
    List<FreeCapacity> said =
        refusals.stream()
            .filter(refusal -> refusal.obstacle() == closest)
            .map(Refusal::room)
            .toList();
    return new WaitReason(closest.code(), words(closest, contender, job, said));
  }

  /** Why one node doesn't take the job; null when it does. */
  WaitReason why(ShapeCandidate contender, ReadyJob job, FreeCapacity room) {
    Obstacle obstacle = contender.obstacle(room, job);
    return obstacle == null
        ? null
        : new WaitReason(obstacle.code(), words(obstacle, contender, job, List.of(room)));
  }

  private String words(
      Obstacle obstacle, ShapeCandidate contender, ReadyJob job, List<FreeCapacity> said) {
    Shape shape = contender.shape();
    return switch (obstacle) {
      case NO_MATCH -> contender.test().mismatch(said.stream().map(FreeCapacity::node).toList());
      case TOO_LARGE -> tooLarge(shape, said);
      case NOT_ASKED ->
          names(said)
              + " take"
              + s(said)
              + " only jobs that ask for "
              + them(said)
              + ": prefer the queue node beside it, or require its name or a label";
      case CLOSED -> each(said, room -> room.node().closed());
      case QUICK_FAILURES -> each(said, room -> room.closure(job.definition()));
      case NO_SLOT -> noSlot(shape, said);
      case NO_RESOURCE -> noResource(shape, said);
      case KEPT -> kept(said.get(0));
    };
  }

  private static String tooLarge(Shape shape, List<FreeCapacity> said) {
    long slots = most(said, room -> room.node().capacity().slots());
    if (shape.slots() > slots) {
      return "needs " + slots(shape.slots()) + "; the largest node that matches has " + slots;
    }
    long cpus = most(said, room -> Math.round(room.node().capacity().cpus() * 1000));
    if (cpus > 0 && shape.cpuMillis() > cpus) {
      return "needs " + cpus(shape.cpuMillis()) + "; the most that a node has is " + number(cpus);
    }
    long memory = most(said, room -> room.node().capacity().memoryBytes());
    if (memory > 0 && shape.memoryBytes() > memory) {
      return "needs "
          + memory(shape.memoryBytes())
          + "; the most that a node has is "
          + size(memory);
    }
    for (Map.Entry<String, Integer> want : shape.sortedResources().entrySet()) {
      long has =
          most(said, room -> room.node().capacity().resources().getOrDefault(want.getKey(), 0));
      if (want.getValue() > has) {
        return "needs "
            + want.getValue()
            + " "
            + want.getKey()
            + "; the most that a node has is "
            + has;
      }
    }
    return "no node has as much of everything together as it needs";
  }

  private static String noSlot(Shape shape, List<FreeCapacity> said) {
    if (shape.slots() == 0) {
      return nodes(said) + " must start what was given before first";
    }
    long free = most(said, room -> Math.max(0, room.freeSlots()));
    long all = said.stream().mapToLong(room -> room.node().capacity().slots()).sum();
    return free == 0
        ? "all " + slots(all) + " of " + nodes(said) + " are taken"
        : "needs " + slots(shape.slots()) + "; the most free on one node is " + free;
  }

  private static String noResource(Shape shape, List<FreeCapacity> said) {
    long cpu = most(said, FreeCapacity::freeCpuMillis);
    boolean statesCpu = said.stream().allMatch(room -> room.node().capacity().cpus() > 0);
    if (statesCpu && shape.cpuMillis() > cpu) {
      return "needs "
          + cpus(shape.cpuMillis())
          + "; the most free on one node is "
          + number(Math.max(0, cpu));
    }
    long memory = most(said, FreeCapacity::freeMemory);
    boolean statesMemory = said.stream().allMatch(room -> room.node().capacity().memoryBytes() > 0);
    if (statesMemory && shape.memoryBytes() > memory) {
      return "needs "
          + memory(shape.memoryBytes())
          + "; the most free on one node is "
          + size(Math.max(0, memory));
    }
    for (Map.Entry<String, Integer> want : shape.sortedResources().entrySet()) {
      long free = most(said, room -> room.freeResource(want.getKey()));
      if (want.getValue() > free) {
        return "needs "
            + want.getValue()
            + " "
            + want.getKey()
            + "; the most free on one node is "
            + Math.max(0, free);
      }
    }
    return "no node has as much of everything together free as it needs";
  }

  private String kept(FreeCapacity room) {
    ShapeCandidate other = room.keptFor();
    return "room on "
        + room.node().name()
        + " is kept for a job of "
        + slots(other.shape().slots())
        + " that has waited longer";
  }

  private static long most(List<FreeCapacity> rooms, ToLongFunction<FreeCapacity> what) {
    return rooms.stream().mapToLong(what).max().orElse(0);
  }

  private static String each(List<FreeCapacity> rooms, Function<FreeCapacity, String> what) {
    String first =
        rooms.stream()
            .limit(MOST_NAMES)
            .map(room -> room.node().name() + " " + what.apply(room))
            .collect(Collectors.joining("; "));
    return first + more(rooms);
  }

  private static String names(List<FreeCapacity> rooms) {
    return rooms.stream()
            .limit(MOST_NAMES)
            .map(room -> room.node().name())
            .collect(Collectors.joining(", "))
        + more(rooms);
  }

  private static String more(List<FreeCapacity> rooms) {
    return rooms.size() > MOST_NAMES ? " and " + (rooms.size() - MOST_NAMES) + " more" : "";
  }

  private static String s(List<FreeCapacity> rooms) {
    return rooms.size() == 1 ? "s" : "";
  }

  private static String them(List<FreeCapacity> rooms) {
    return rooms.size() == 1 ? "it" : "them";
  }

  private static String nodes(List<FreeCapacity> rooms) {
    return rooms.size() == 1 ? "node " + names(rooms) : rooms.size() + " nodes that match";
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

  private static String memory(long bytes) {
    return size(bytes) + " memory";
  }

  private static String size(long bytes) {
    return new DataSize(bytes).toString();
  }
}
