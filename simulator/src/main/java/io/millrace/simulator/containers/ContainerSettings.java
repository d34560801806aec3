package io.millrace.simulator.containers;

/**
 * Parameters of Solution A, which the publication does not state.
 *
 * @param consumers of one container: a fixed set (H-260)
 * @param cycle seconds between two rounds of decisions of a node
 * @param startSeconds from the decision until the consumers of a container work
 * @param flagShare share of the containers of a kind that request capacity above which one is
 *     started
 * @param startChance chance that a node that may start one does (H-262)
 * @param idleChance chance that an idle node is used when one is needed (H-262)
 * @param normalShare share of NORMAL nodes among the used ones from which nodes are emptied
 * @param emptyChance chance that a node then tries to empty itself, in a cycle of off-hours
 * @param consolidateChance chance that a node stops a container that it has twice, in a cycle of
 *     off-hours
 * @param offFrom hour of the day at which off-hours begin
 * @param offUntil hour at which they end
 */
public record ContainerSettings(
    int consumers,
    double cycle,
    double startSeconds,
    double flagShare,
    double startChance,
    double idleChance,
    double normalShare,
    double emptyChance,
    double consolidateChance,
    double offFrom,
    double offUntil) {
  private static final double HOUR = 3600;
  private static final double DAY = 24 * HOUR;

  public ContainerSettings {
    if (consumers < 1 || !(cycle >= 1) || startSeconds < 0) {
      throw new IllegalArgumentException(
          "a container needs at least one consumer, and a cycle at least one second");
    }
  }

  /** Containers of 2 consumers, a cycle a minute, off-hours from 22:00 to 06:00. */
  public static ContainerSettings usual() {
    return new ContainerSettings(2, 60, 10, 0.5, 0.25, 0.25, 0.75, 0.02, 0.05, 22, 6);
  }

  public ContainerSettings withConsumers(int newConsumers) {
    return new ContainerSettings(
        newConsumers,
        cycle,
        startSeconds,
        flagShare,
        startChance,
        idleChance,
        normalShare,
        emptyChance,
        consolidateChance,
        offFrom,
        offUntil);
  }

  boolean offHours(double secondOfDay) {
    double hour = secondOfDay % DAY / HOUR;
    return offFrom > offUntil
        ? hour >= offFrom || hour < offUntil
        : hour >= offFrom && hour < offUntil;
  }
}
