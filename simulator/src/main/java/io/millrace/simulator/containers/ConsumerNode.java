package io.millrace.simulator.containers;

import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.queuenode.load.LoadSettings;
import io.millrace.queuenode.load.NodeLoadRule;
import io.millrace.queuenode.load.NodeLoadRule.LoadSample;
import io.millrace.simulator.pacing.WaitingEvents;
import java.util.ArrayList;
import java.util.List;

/**
 * A node with containers and, for each kind, the segment shared by its consumers. Its state comes
 * from the production rule, by the share of its slots with a working consumer. Used by one thread.
 */
final class ConsumerNode {
  private static final NodeLoadRule RULE = new NodeLoadRule(LoadSettings.defaults());

  private static final int PER_SLOT = 2;

  private final int slots;
  private final double secondsPerEvent;
  private final List<Container> containers = new ArrayList<>();
  private final WaitingEvents[] segments;
  private final double[] budgets;
  private final long[] lengths;
  private final boolean[] flags;
  private NodeLoad load = NodeLoadRule.unmeasured();
  private boolean alive = true;

  ConsumerNode(int slots, int types, double secondsPerEvent) {
    this.slots = slots;
    this.secondsPerEvent = secondsPerEvent;
    this.segments = new WaitingEvents[types];
    for (int type = 0; type < types; type++) {
      segments[type] = new WaitingEvents(1);
    }
    this.budgets = new double[types];
    this.lengths = new long[types];
    this.flags = new boolean[types];
  }

  /** Its consumers handle events for one second. */
  void work(long step) {
    double busy = 0;
    for (int i = 0; i < segments.length; i++) {
      // The kinds take turns in coming first, because capacity may not suffice for all.
      int type = (int) ((step + i) % segments.length);
      double possible = Math.min(ready(type, step), slots - busy) / secondsPerEvent;
      budgets[type] = Math.min(budgets[type], 1) + Math.max(0, possible);
      long taken = segments[type].take(step, (long) budgets[type]);
      budgets[type] -= taken;
      busy += Math.min((double) taken, possible) * secondsPerEvent;
    }
    load = RULE.next(load, new LoadSample(busy / slots, 0), !containers.isEmpty());
  }

  private int ready(int type, long step) {
    int ready = 0;
    for (Container one : containers) {
      ready += one.type() == type && one.readyAt() <= step ? one.consumers() : 0;
    }
    return ready;
  }

  /** Compares the segments with the last cycle: a growing one requests capacity (H-262). */
  void flag() {
    for (int type = 0; type < segments.length; type++) {
      long length = segments[type].waiting();
      // Less than its consumers handle in a second does not count as a backlog.
      double handled = consumers(type) / secondsPerEvent;
      flags[type] = length > lengths[type] && length > handled;
      lengths[type] = length;
    }
  }

  boolean flagged(int type) {
    return flags[type];
  }

  /** The node is lost with its containers; the events in its segments remain. */
  void lose() {
    alive = false;
    containers.clear();
    load = NodeLoadRule.unmeasured();
  }

  void recover() {
    alive = true;
  }

  boolean alive() {
    return alive;
  }

  NodeState state() {
    return load.state();
  }

  double load() {
    return load.load();
  }

  boolean used() {
    return alive && !containers.isEmpty();
  }

  List<Container> containers() {
    return containers;
  }

  /** Idle consumers take few resources, so more of them fit than can work. */
  boolean hasCapacity(int consumers) {
    return alive && consumers() + consumers <= PER_SLOT * slots;
  }

  // Loops instead of streams: called several times in each of the 86,400 steps of a day.
  int consumers() {
    int all = 0;
    for (Container one : containers) {
      all += one.consumers();
    }
    return all;
  }

  int consumers(int type) {
    int all = 0;
    for (Container one : containers) {
      all += one.type() == type ? one.consumers() : 0;
    }
    return all;
  }

  boolean holds(int type) {
    for (Container one : containers) {
      if (one.type() == type) {
        return true;
      }
    }
    return false;
  }

  int count(int type) {
    int all = 0;
    for (Container one : containers) {
      all += one.type() == type ? 1 : 0;
    }
    return all;
  }

  WaitingEvents segment(int type) {
    return segments[type];
  }

  /**
   * A fixed set of consumers of one kind on a node (H-260).
   *
   * @param type index of the kind
   * @param consumers number of consumers
   * @param readyAt step from which they work
   */
  record Container(int type, int consumers, long readyAt) {}
}
