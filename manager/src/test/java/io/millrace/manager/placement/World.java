package io.millrace.manager.placement;

import io.millrace.api.node.AcceptedUsers;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.placement.NodeTest.NodeTests;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementPlan.Placement;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import io.millrace.manager.placement.PlacementSnapshot.LicenceStock;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** A pool with waiting jobs, nodes and licences, put together by tests. */
final class World {
  static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private final List<PlacementNode> nodes = new ArrayList<>();
  private final Map<Shape, List<ReadyJob>> jobs = new HashMap<>();
  private final Map<Shape, Long> shapeIds = new HashMap<>();
  private final Map<String, LicenceStock> licences = new HashMap<>();
  private final Map<String, ShareTurn> shares = new HashMap<>();
  private double virtualTime;
  private NodeTests tests = shape -> NodeTest.ANY;
  private PlacementSettings settings = PlacementSettings.defaults();
  private Instant now = NOW;
  private long lastJob;

  static Shape shape(int slots) {
    return Shape.ofSlots("default", "ann", 0, slots);
  }

  static PlacementNode node(String name, int slots, int used) {
    return node(name, NodeCapacity.ofSlots(slots), new Amounts(used, 0, 0, Map.of()), null);
  }

  static PlacementNode node(String name, NodeCapacity capacity, Amounts used, String closed) {
    return new PlacementNode(
        new UUID(0, name.hashCode()),
        name,
        "beside-" + name,
        capacity,
        NodeFacts.of(name, capacity, List.of("default"), Map.of()),
        used,
        Amounts.NONE,
        0,
        closed,
        Map.of());
  }

  /** An empty node that announces as which users it runs jobs. */
  static PlacementNode taking(String name, int slots, boolean unnamed, String... users) {
    return node(name, slots, 0).withUsers(Optional.of(new AcceptedUsers(Set.of(users), unnamed)));
  }

  World with(PlacementNode... more) {
    nodes.addAll(List.of(more));
    return this;
  }

  World licence(String name, int total, int used) {
    licences.put(name, new LicenceStock(total, used));
    return this;
  }

  World share(String name, double weight, double pass) {
    shares.put(name, new ShareTurn(weight, pass));
    return this;
  }

  World tests(NodeTests other) {
    tests = other;
    return this;
  }

  World settings(PlacementSettings other) {
    settings = other;
    return this;
  }

  World at(Instant other) {
    now = other;
    return this;
  }

  World virtualTime(double other) {
    virtualTime = other;
    return this;
  }

  /** A job that has just become ready; its id. */
  long job(Shape shape) {
    return job(shape, Duration.ZERO, null, "ann/x");
  }

  /** A job that waits for so long; its id. */
  long job(Shape shape, Duration waits) {
    return job(shape, waits, null, "ann/x");
  }

  long job(Shape shape, Duration waits, String near, String definition) {
    lastJob++;
    shapeIds.putIfAbsent(shape, 1L + shapeIds.size());
    jobs.computeIfAbsent(shape, none -> new ArrayList<>())
        .add(new ReadyJob(lastJob, now.minus(waits), near, definition));
    return lastJob;
  }

  /** A job of which as many attempts have failed on these nodes. */
  long failedJob(Shape shape, Map<PlacementNode, Integer> failures) {
    long id = job(shape);
    Map<UUID, Integer> byNode = new HashMap<>();
    failures.forEach((node, count) -> byNode.put(node.id(), count));
    jobs.get(shape)
        .replaceAll(
            ready ->
                ready.id() == id
                    ? new ReadyJob(id, ready.readyAt(), null, ready.definition(), byNode)
                    : ready);
    return id;
  }

  PlacementSnapshot snapshot() {
    Map<Long, ShapeQueue> lines = new TreeMap<>();
    jobs.forEach(
        (shape, waiting) -> {
          List<ReadyJob> line =
              waiting.stream()
                  .sorted(Comparator.comparing(ReadyJob::readyAt).thenComparing(ReadyJob::id))
                  .toList();
          if (!line.isEmpty()) {
            lines.put(shapeIds.get(shape), line(shapeIds.get(shape), shape, line));
          }
        });
    return new PlacementSnapshot(
        "default",
        now,
        List.copyOf(lines.values()),
        nodes,
        licences,
        shares,
        virtualTime,
        tests,
        settings);
  }

  private static ShapeQueue line(long id, Shape shape, List<ReadyJob> jobs) {
    return new ShapeQueue(
        id,
        shape,
        jobs.get(0),
        (last, count) -> {
          int from = jobs.indexOf(last) + 1;
          return jobs.subList(from, Math.min(jobs.size(), from + count));
        });
  }

  PlacementPlan place() {
    return Placer.place(snapshot());
  }

  List<String> nodesOf() {
    return place().placements().stream().map(Placement::nodeName).toList();
  }

  List<Long> placed() {
    return place().placements().stream().map(placement -> placement.job().id()).toList();
  }
}
