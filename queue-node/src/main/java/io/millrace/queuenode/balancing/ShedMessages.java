package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says why load was shed, or why it could not be, with the figures. Confined to one decision. */
@Pure
final class ShedMessages {
  private final ExpectedCluster expected;
  private final String self;
  private final double limit;
  private final String trigger;
  private final List<String> what = new ArrayList<>();
  private final List<String> why = new ArrayList<>();

  ShedMessages(
      ExpectedCluster expected,
      String self,
      BalancingSettings settings,
      double excess,
      double limit) {
    this.expected = expected;
    this.self = self;
    this.limit = limit;
    double load = expected.node(self).utilisation();
    LoadLimits limits = settings.limits();
    String over =
        load >= limits.tooBusyEnter()
            ? words("%.2f > %.2f", load, limits.tooBusyEnter())
            : words("%.2f, TOOBUSY until below %.2f,", load, limits.tooBusyLeave());
    this.trigger =
        words(
            "%s at %s for %d ticks, excess %.2f",
            self, over, settings.pace().ticksOver(), excess / expected.node(self).capacity());
  }

  /** Tells of a move; called before it is carried out. */
  void add(ObservedQueue queue, int points, double carried, ReceiverChoice.Choice receiver) {
    String to = receiver.node();
    what.add(words("%d points of %s from %s to %s", points, queue.name(), self, to));
    String chosen =
        receiver.other() == null
            ? "alone had room"
            : "had most room of " + to + " and " + receiver.other();
    why.add(
        words(
            "%s carries %.2f of it, %s at %.2f %s",
            queue.name(),
            carried / expected.node(self).capacity(),
            to,
            expected.utilisation(to),
            chosen));
  }

  String moved() {
    return "moved " + String.join(" and ", what) + ": " + trigger + ", " + String.join("; ", why);
  }

  /** Why nothing could move when no segment brings enough load to matter. */
  String notFromSegments() {
    return trigger + ", but no segment of it carries enough of that to be moved";
  }

  /** Why nothing could move. */
  String noRoom() {
    int closed = 0;
    int busy = 0;
    int unused = 0;
    int full = 0;
    for (ObservedNode node : expected.nodes()) {
      if (node.name().equals(self)) {
        continue;
      }
      if (!node.accepts()) {
        closed++;
      } else if (node.state() == NodeState.BUSY || node.state() == NodeState.TOOBUSY) {
        busy++;
      } else if (!expected.used(node.name()) && !expected.mayScaleOut()) {
        unused++;
      } else {
        full++;
      }
    }
    List<String> rest = new ArrayList<>();
    add(rest, busy, "BUSY or TOOBUSY");
    add(
        rest,
        full,
        words("too near the limit of %.2f or just now a giver of the same queue", limit));
    add(rest, unused, "unused while most used ones are NORMAL");
    add(rest, closed, "not accepting");
    return trigger
        + (rest.isEmpty()
            ? ", and it sees no other queue node: look at membership in the nodes' configuration"
            : ", and no node has room for a part of it: " + String.join(", ", rest));
  }

  private static void add(List<String> rest, int nodes, String what) {
    if (nodes > 0) {
      rest.add(nodes + " " + what);
    }
  }

  private static String words(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
