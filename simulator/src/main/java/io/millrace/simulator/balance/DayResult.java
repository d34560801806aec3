package io.millrace.simulator.balance;

import io.millrace.api.queue.NodeState;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The result of one simulated day; every figure is counted.
 *
 * @param overloads number of times that a node became TOOBUSY
 * @param unresolved of these, without a move of the node
 * @param firstHits of those with a move, those whose first move was of the queue with most events
 * @param rounds selections of a node in one overload, on average over those with a move
 * @param mostRounds selections of a node in its longest overload
 * @param calmMinutes mean time from the first TOOBUSY node until there is none
 * @param flaps times that a node became TOOBUSY again within {@link SimulationSettings#flapWindow}
 * @param shedMoves moves to shed load
 * @param scaleInMoves moves to empty nodes
 * @param points points of all moves
 * @param pingPongs moves back within {@link SimulationSettings#reverseWindow}
 * @param returns emptied nodes that were used again within this time
 * @param refusals decisions refused by receivers or by changed rows
 * @param shortages recorded shortages
 * @param tooBusyMinutes minutes in TOOBUSY, summed over all nodes
 * @param overCapacityMinutes minutes with more arrivals than a node can store, summed over all
 *     nodes
 * @param greatestBacklog maximum number of events waiting to be stored on one node
 * @param nodeHours hours of use, summed over all nodes
 */
public record DayResult(
    int overloads,
    int unresolved,
    int firstHits,
    double rounds,
    int mostRounds,
    double calmMinutes,
    int flaps,
    int shedMoves,
    int scaleInMoves,
    long points,
    int pingPongs,
    int returns,
    int refusals,
    int shortages,
    double tooBusyMinutes,
    double overCapacityMinutes,
    double greatestBacklog,
    double nodeHours) {

  /** All moves. */
  public int moves() {
    return shedMoves + scaleInMoves;
  }

  /**
   * The cluster at one minute of the day (H-136).
   *
   * @param elapsed seconds since the start of the day
   * @param rates events per second of each node
   * @param states number of nodes in each state
   */
  public record DaySample(double elapsed, List<Double> rates, Map<NodeState, Integer> states) {
    static DaySample of(double elapsed, List<SimulatedNode> nodes) {
      Map<NodeState, Integer> states = new EnumMap<>(NodeState.class);
      for (NodeState state : NodeState.values()) {
        states.put(state, 0);
      }
      nodes.forEach(node -> states.merge(node.facts().state(), 1, Integer::sum));
      return new DaySample(elapsed, nodes.stream().map(SimulatedNode::arriving).toList(), states);
    }
  }

  /**
   * Means over several random days with the same configuration and policy, unless stated otherwise.
   *
   * @param configuration 1 to 4; 0 for recorded traffic
   * @param policy name of the policy
   * @param days number of days
   * @param moves all moves of a day
   * @param shedMoves of these, to shed load
   * @param scaleInMoves of these, to empty nodes
   * @param points points of all moves
   * @param pingPongs moves back
   * @param overloads number of times that a node became TOOBUSY
   * @param unresolved of these, without a move of the node because no node could take load
   * @param firstHits share of the others whose first attempt moved the segment with most events, 0
   *     to 1
   * @param rounds attempts in one overload
   * @param mostRounds attempts in the longest overload
   * @param calmMinutes time until no node was TOOBUSY
   * @param flaps times that a node was TOOBUSY again at once
   * @param returns emptied nodes that were soon used again
   * @param tooBusyMinutes node-minutes in TOOBUSY
   * @param overCapacityMinutes node-minutes above capacity
   * @param greatestBacklog the maximum of all days
   * @param nodeHours hours of use, summed over all nodes
   */
  public record Averages(
      int configuration,
      String policy,
      int days,
      double moves,
      double shedMoves,
      double scaleInMoves,
      double points,
      double pingPongs,
      double overloads,
      double unresolved,
      double firstHits,
      double rounds,
      int mostRounds,
      double calmMinutes,
      double flaps,
      double returns,
      double tooBusyMinutes,
      double overCapacityMinutes,
      double greatestBacklog,
      double nodeHours) {

    /** The averages of days. */
    public static Averages of(int configuration, String policy, List<DayResult> days) {
      double met = sum(days, day -> day.overloads() - day.unresolved());
      return new Averages(
          configuration,
          policy,
          days.size(),
          mean(days, DayResult::moves),
          mean(days, DayResult::shedMoves),
          mean(days, DayResult::scaleInMoves),
          mean(days, DayResult::points),
          mean(days, DayResult::pingPongs),
          mean(days, DayResult::overloads),
          mean(days, DayResult::unresolved),
          met == 0 ? 0 : sum(days, DayResult::firstHits) / met,
          mean(days, DayResult::rounds),
          days.stream().mapToInt(DayResult::mostRounds).max().orElse(0),
          mean(days, DayResult::calmMinutes),
          mean(days, DayResult::flaps),
          mean(days, DayResult::returns),
          mean(days, DayResult::tooBusyMinutes),
          mean(days, DayResult::overCapacityMinutes),
          days.stream().mapToDouble(DayResult::greatestBacklog).max().orElse(0),
          mean(days, DayResult::nodeHours));
    }

    private static double sum(List<DayResult> days, ToDoubleFunction<DayResult> figure) {
      return days.stream().mapToDouble(figure).sum();
    }

    private static double mean(List<DayResult> days, ToDoubleFunction<DayResult> figure) {
      return days.isEmpty() ? 0 : sum(days, figure) / days.size();
    }
  }
}
