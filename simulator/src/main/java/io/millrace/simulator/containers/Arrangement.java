package io.millrace.simulator.containers;

import io.millrace.simulator.containers.ConsumerNode.Container;

/** Decides where consumers run. Used by one thread, for one day. */
interface Arrangement {
  String name();

  /** Called before the day starts. */
  void begin(ConsumerCluster cluster);

  /** Called at each second, before events arrive. */
  void decide(ConsumerCluster cluster, long step);

  /**
   * A static configuration (H-002): a constant number of consumers of each kind, sized for its
   * usual peak with a reserve, distributed over the nodes in turn. Those of a lost node return with
   * it.
   */
  final class FixedArrangement implements Arrangement {
    private final double reserve;

    /**
     * A configuration sized in advance.
     *
     * @param reserve number of consumers as a multiple of those needed at the usual peak
     */
    FixedArrangement(double reserve) {
      if (!(reserve > 0)) {
        throw new IllegalArgumentException("--reserve: use a number above 0, not " + reserve);
      }
      this.reserve = reserve;
    }

    @Override
    public String name() {
      return "fixed";
    }

    @Override
    public void begin(ConsumerCluster cluster) {
      int next = 0;
      for (int type = 0; type < cluster.types().size(); type++) {
        double peak = cluster.types().get(type).peakRate() * cluster.day().secondsPerEvent();
        int consumers = (int) Math.ceil(peak * reserve - 1e-9);
        for (int i = 0; i < consumers; i++) {
          next = place(cluster, type, next);
        }
      }
    }

    private static int place(ConsumerCluster cluster, int type, int from) {
      int nodes = cluster.nodes().size();
      for (int i = 0; i < nodes; i++) {
        ConsumerNode node = cluster.nodes().get((from + i) % nodes);
        if (node.hasCapacity(1)) {
          node.containers().add(new Container(type, 1, 0));
          return from + i + 1;
        }
      }
      throw new IllegalArgumentException(
          "the static configuration does not fit on the nodes: use more --slots or a smaller"
              + " --reserve");
    }

    @Override
    public void decide(ConsumerCluster cluster, long step) {
      CapacityDay day = cluster.day();
      if (step == Math.round(day.lossFrom() + day.lossSeconds())) {
        // The node starts the consumers of its configuration.
        restore(cluster);
      }
    }

    private void restore(ConsumerCluster cluster) {
      ConsumerCluster fresh = new ConsumerCluster(cluster.day(), cluster.types(), 0);
      begin(fresh);
      cluster.nodes().get(0).containers().addAll(fresh.nodes().get(0).containers());
    }
  }
}
