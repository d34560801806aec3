package io.millrace.simulator.containers;

import io.millrace.simulator.containers.ConsumerNode.Container;

/** Who decides where consumers are. Used by one thread, for one day. */
interface Arrangement {
  String name();

  /** Before the day begins. */
  void begin(ConsumerCluster cluster);

  /** At each second, before events come. */
  void decide(ConsumerCluster cluster, long step);

  /**
   * A static configuration (H-002): so many consumers of each kind for ever, sized for its usual
   * peak with a reserve, dealt to the nodes in turn. Those of a lost node are back when it is.
   */
  final class FixedArrangement implements Arrangement {
    private final double reserve;

    /**
     * One that is sized in advance.
     *
     * @param reserve consumers, as so many times what the usual peak needs
     */
    FixedArrangement(double reserve) {
      if (!(reserve > 0)) {
        throw new IllegalArgumentException("the reserve is above 0, not " + reserve);
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
        if (node.hasRoom(1)) {
          node.containers().add(new Container(type, 1, 0));
          return from + i + 1;
        }
      }
      throw new IllegalArgumentException(
          "the static configuration does not fit on the nodes: give more --slots or a smaller"
              + " --reserve");
    }

    @Override
    public void decide(ConsumerCluster cluster, long step) {
      CapacityDay day = cluster.day();
      if (step == Math.round(day.lossFrom() + day.lossSeconds())) {
        // The node starts with what its configuration says.
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
