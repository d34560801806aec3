package io.millrace.simulator.replay;

import io.millrace.simulator.replay.Recording.RecordedDecision;
import io.millrace.simulator.replay.Recording.RecordedSegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The basis of a replay.
 *
 * @param from the first decision
 * @param to the last decision
 * @param segments segments with a record
 * @param decisions recorded decisions
 * @param longestGapSeconds greatest distance of two decisions of a segment: within it, moments of
 *     arrivals are not known exactly
 * @param startLatencySeconds from getting a slot to the start
 * @param runSeconds of a run
 * @param failedPart share of failed runs
 * @param settings in force at the end
 * @param notes differences from the record, as text
 */
public record ReplayBasis(
    Instant from,
    Instant to,
    int segments,
    int decisions,
    double longestGapSeconds,
    double startLatencySeconds,
    double runSeconds,
    double failedPart,
    String settings,
    List<String> notes) {
  public ReplayBasis {
    notes = List.copyOf(notes);
  }

  static ReplayBasis of(Recording recording, ReplaySettings recorded, ReplayWorld world) {
    int decisions = 0;
    double gap = 0;
    double failed = 0;
    for (RecordedSegment segment : recording.segments()) {
      decisions += segment.decisions().size();
      gap = Math.max(gap, segment.longestGap());
      failed += segment.failing() * segment.starts() / Math.max(1, recording.starts());
    }
    return new ReplayBasis(
        recording.from(),
        recording.to(),
        recording.segments().size(),
        decisions,
        gap,
        world.startLatency(),
        world.runTime(),
        failed,
        recorded.text(),
        notes(recording, recorded));
  }

  private static List<String> notes(Recording recording, ReplaySettings recorded) {
    List<String> notes = new ArrayList<>();
    long others =
        count(
            recording, one -> one.isComplete("batch") && !ReplaySettings.of(one).equals(recorded));
    add(notes, others, "decisions had other settings; the last ones apply to the whole replay");
    long busy = count(recording, one -> one.gate().startsWith("NODE_"));
    add(
        notes,
        busy,
        "decisions were blocked because the queue node was busy; it is never busy in the replay");
    long limited =
        count(recording, one -> one.gate().equals("MAX_RATE") || one.figure("maxPerNode") > 0);
    add(notes, limited, "decisions had maxEventsPerSecond or maxPerNode, which are not simulated");
    double absent =
        recording.segments().stream()
            .flatMap(segment -> segment.absences().stream())
            .mapToDouble(one -> one.until() - one.from())
            .sum();
    if (absent > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "for %.0f s in total the manager was down, paused or blocked by the breaker; so it is"
                  + " here",
              absent));
    }
    return notes;
  }

  private static long count(Recording recording, Predicate<RecordedDecision> kind) {
    return recording.segments().stream().mapToLong(segment -> segment.count(kind)).sum();
  }

  private static void add(List<String> notes, long count, String text) {
    if (count > 0) {
      notes.add(count + " " + text);
    }
  }
}
