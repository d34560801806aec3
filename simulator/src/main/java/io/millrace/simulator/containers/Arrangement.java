package io.millrace.simulator.containers;

/** Who decides where consumers are. Used by one thread, for one day. */
interface Arrangement {
  String name();

  /** Before the day begins. */
  void begin(ConsumerCluster cluster);

  /** At each second, before events come. */
  void decide(ConsumerCluster cluster, long step);
}
