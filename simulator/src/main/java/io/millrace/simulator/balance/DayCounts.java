package io.millrace.simulator.balance;

import java.util.List;

/** What a day's record counts. Not thread-safe. */
final class DayCounts {
  int flaps;
  int shedMoves;
  int scaleInMoves;
  long points;
  int pingPongs;
  int returns;
  int refusals;
  int shortages;
  int calmings;
  double calmMinutes;
  double tooBusyMinutes;
  double overCapacityMinutes;
  double greatestBacklog;
  double nodeMinutes;

  DayResult result(List<Overload> overloads) {
    List<Overload> met = overloads.stream().filter(overload -> overload.rounds() > 0).toList();
    return new DayResult(
        overloads.size(),
        overloads.size() - met.size(),
        (int) met.stream().filter(overload -> overload.hitAt() == 1).count(),
        met.stream().mapToInt(Overload::rounds).average().orElse(0),
        met.stream().mapToInt(Overload::rounds).max().orElse(0),
        calmings == 0 ? 0 : calmMinutes / calmings,
        flaps,
        shedMoves,
        scaleInMoves,
        points,
        pingPongs,
        returns,
        refusals,
        shortages,
        tooBusyMinutes,
        overCapacityMinutes,
        greatestBacklog,
        nodeMinutes / 60);
  }
}
