package io.millrace.tests.golden;

import io.millrace.api.node.AcceptedUsers;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.placement.NodeFacts;
import io.millrace.manager.placement.NodeTest;
import io.millrace.manager.placement.PlacementNode;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementPlan;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import io.millrace.manager.placement.PlacementSnapshot;
import io.millrace.manager.placement.PlacementSnapshot.LicenceStock;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import io.millrace.manager.placement.Placer;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeUser;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Which jobs are placed where, and why the others wait, for some hand-written pools. */
final class PlacementTable {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final long GIB = 1L << 30;

  private final StringBuilder text = new StringBuilder();

  String text() {
    List<PlacementNode> three =
        List.of(node("e1", 4, 1, null), node("e2", 4, 3, null), node("e3", 8, 0, "draining"));
    play("small jobs go where there is most room", three, jobs(line(1, shape("ann", 0, 1), 5, 0)));
    play(
        "shares take turns, by weight",
        three,
        jobs(line(1, shape("ann", 0, 1), 5, 0), line(2, shape("ben", 0, 1), 5, 0)));
    play(
        "priority first, and age on top",
        three,
        jobs(
            line(1, shape("ann", 0, 1), 3, 7200),
            line(2, shape("ann", 5, 1), 3, 0),
            line(3, shape("ben", -5, 1), 3, 0)));
    play(
        "a wide job has room kept for it",
        List.of(node("e1", 4, 2, null), node("e2", 4, 3, null)),
        jobs(line(1, shape("ann", 0, 4), 1, 600), line(2, shape("ben", 0, 1), 5, 0)));
    play(
        "resources and licences",
        three,
        jobs(
            line(1, wanting(Map.of("gpu", 1), Map.of()), 2, 0),
            line(2, wanting(Map.of(), Map.of("solver", 2)), 3, 0),
            line(3, wanting(Map.of(), Map.of("unknown", 1)), 1, 0),
            line(4, wanting(Map.of("gpu", 9), Map.of()), 1, 0)));
    play("too large for every node", three, jobs(line(1, shape("ann", 0, 9), 1, 0)));
    play("all nodes are closed", List.of(three.get(2)), jobs(line(1, shape("ann", 0, 1), 1, 0)));
    play(
        "users of jobs",
        List.of(
            three.get(0).withUsers(users("carol")),
            three.get(1).withUsers(users("bob")),
            three.get(1).with(node -> node.name("e4").users(users()))),
        jobs(
            line(1, shape("ann", 0, 1).withUser(new ShapeUser("bob")), 2, 0),
            line(2, shape("ann", 0, 1).withUser(new ShapeUser("dora")), 1, 0),
            line(3, shape("ann", 0, 1).withUser(new ShapeUser(null)), 1, 0),
            line(4, shape("ann", 0, 1).withUser(new ShapeUser("root")), 1, 0)));
    play("no node", List.of(), jobs(line(1, shape("ann", 0, 1), 1, 0)));
    play("programs without slots spread", three, jobs(line(1, shape("ann", 0, 0), 4, 0)));
    return text.toString();
  }

  private void play(String title, List<PlacementNode> nodes, List<ShapeQueue> lines) {
    text.append("### ").append(title).append('\n');
    for (PlacementNode node : nodes) {
      text.append(
          "  node %s: %s slots, %s used%s%s%n"
              .formatted(
                  node.name(),
                  node.capacity().slots(),
                  node.used().slots(),
                  node.users().map(users -> ", users " + users.named()).orElse(""),
                  node.unavailable() == null ? "" : ", closed: " + node.unavailable()));
    }
    for (ShapeQueue line : lines) {
      Shape shape = line.shape();
      text.append(
          "  shape %d: share %s, priority %d, slots %d, resources %s, licences %s, first %s%s%n"
              .formatted(
                  line.shapeId(),
                  shape.share(),
                  shape.priority(),
                  shape.slots(),
                  shape.sortedResources(),
                  shape.sortedLicences(),
                  line.head().readyAt(),
                  shape.user() == null ? "" : ", user " + shape.user().name()));
    }
    PlacementPlan plan =
        Placer.place(
            new PlacementSnapshot(
                "default",
                NOW,
                lines,
                nodes,
                Map.of("solver", new LicenceStock(5, 0)),
                Map.of("ann", new ShareTurn(1, 0), "ben", new ShareTurn(2, 0)),
                0,
                shape -> NodeTest.ANY,
                PlacementSettings.defaults()));
    plan.placements()
        .forEach(
            one ->
                text.append(
                    "job %d (share %s) to %s%n"
                        .formatted(one.job().id(), one.shape().share(), one.nodeName())));
    plan.waiting()
        .forEach(
            one ->
                text.append(
                    "shape %d waits, first job %d: %s: %s%n"
                        .formatted(
                            one.shapeId(),
                            one.head().id(),
                            one.reason().code(),
                            one.reason().words())));
    new TreeMap<>(plan.charges())
        .forEach(
            (share, charge) ->
                text.append(
                    "%s is charged: pass %s, start %s, slots %d%n"
                        .formatted(share, charge.pass(), charge.startTag(), charge.slots())));
    text.append('\n');
  }

  private static List<ShapeQueue> jobs(ShapeQueue... lines) {
    return List.of(lines);
  }

  private static Shape shape(String share, int priority, int slots) {
    return Shape.ofSlots("default", share, priority, slots);
  }

  private static Shape wanting(Map<String, Integer> resources, Map<String, Integer> licences) {
    return new Shape("default", "ann", 0, 1, 0, 0, resources, licences, null, null);
  }

  private static Optional<AcceptedUsers> users(String... named) {
    return Optional.of(new AcceptedUsers(Set.of(named), false));
  }

  private static ShapeQueue line(long id, Shape shape, int count, long waitedSeconds) {
    List<ReadyJob> jobs = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      Instant ready = NOW.minusSeconds(waitedSeconds).plusMillis(number);
      jobs.add(new ReadyJob(id * 100 + number, ready, null, "golden/" + id));
    }
    return new ShapeQueue(
        id,
        shape,
        jobs.get(0),
        (last, most) -> {
          int from = jobs.indexOf(last) + 1;
          return jobs.subList(from, Math.min(jobs.size(), from + most));
        });
  }

  private static PlacementNode node(String name, int slots, int used, String closed) {
    NodeCapacity capacity = new NodeCapacity(slots, 8, 16 * GIB, Map.of("gpu", 1), false);
    return new PlacementNode(
        new UUID(0, name.hashCode()),
        name,
        null,
        capacity,
        NodeFacts.of(name, capacity, List.of("default"), Map.of()),
        new Amounts(used, 0, 0, Map.of()),
        Amounts.NONE,
        0,
        closed,
        Map.of());
  }
}
