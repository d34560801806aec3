package io.millrace.simulator.balance;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The same configuration and policy over several days that differ by chance: means, unless told
 * otherwise.
 *
 * @param configuration 1 to 4
 * @param policy its name
 * @param days how many
 * @param moves all moves of a day
 * @param shedMoves of these to shed load
 * @param scaleInMoves of these to empty nodes
 * @param points points of all moves
 * @param pingPongs moves back
 * @param overloads times that a node was TOOBUSY
 * @param unresolved of these, without any move of the node, for nobody could take any
 * @param firstHits part of the others whose first attempt moved the segment with most events, 0 to
 *     1
 * @param rounds attempts in one overload
 * @param mostRounds attempts in the longest of all days
 * @param calmMinutes time until no node was TOOBUSY
 * @param flaps times that a node was TOOBUSY again at once
 * @param returns emptied nodes that were soon used again
 * @param tooBusyMinutes node-minutes in TOOBUSY
 * @param overCapacityMinutes node-minutes above capacity
 * @param greatestBacklog the greatest of all days
 * @param nodeHours hours of use of all nodes together
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
