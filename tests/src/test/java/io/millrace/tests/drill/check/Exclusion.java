package io.millrace.tests.drill.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes that must never run at the same time: those of one single-instance name, of one lane,
 * and of one attempt, which has at most one process. Uses the processes' own monotonic times. Pure.
 */
public final class Exclusion {
  private Exclusion() {}

  /** Whether processes of the same group overlap, including the last output of a killed one. */
  public static List<String> overlaps(Map<String, List<ProcessRun>> groups) {
    List<String> violations = new ArrayList<>();
    groups.forEach((name, runs) -> overlaps(name, runs, violations));
    return violations;
  }

  private static void overlaps(String name, List<ProcessRun> runs, List<String> violations) {
    ProcessRun latest = null;
    for (ProcessRun run : byStart(runs)) {
      if (latest != null && latest.overlaps(run)) {
        violations.add(name + ": " + latest + " overlaps with " + run);
      }
      if (latest == null || run.last() > latest.last()) {
        latest = run;
      }
    }
  }

  /** Whether a job of a lane started after one that was submitted later. */
  public static List<String> outOfOrder(Map<String, List<ProcessRun>> lanes) {
    List<String> violations = new ArrayList<>();
    lanes.forEach(
        (lane, runs) -> {
          long latest = 0;
          for (ProcessRun run : byStart(runs)) {
            if (run.attempt().job() < latest) {
              violations.add(lane + ": " + run + " started after job " + latest);
            }
            latest = Math.max(latest, run.attempt().job());
          }
        });
    return violations;
  }

  /** Whether an attempt was started twice, so that its work is done twice under one number. */
  public static List<String> startedTwice(List<ProcessRun> runs) {
    List<String> violations = new ArrayList<>();
    Map<Object, ProcessRun> first = new HashMap<>();
    for (ProcessRun run : runs) {
      ProcessRun before = first.putIfAbsent(run.attempt(), run);
      if (before != null) {
        violations.add("attempt " + run.attempt() + " was started twice: " + before + ", " + run);
      }
    }
    return violations;
  }

  private static List<ProcessRun> byStart(List<ProcessRun> runs) {
    return runs.stream().sorted(Comparator.comparingDouble(ProcessRun::start)).toList();
  }
}
