package io.millrace.cli.server;

import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import java.util.List;
import java.util.Locale;

/**
 * The day in figures; the fields are those of {@code --json}.
 *
 * @param sent events given to the load balancer
 * @param acknowledged events whose storing was acknowledged
 * @param lost acknowledged and not processed
 * @param duplicates further times that an event was processed
 * @param dead dead letters
 * @param workerRuns worker runs started
 * @param fixedRuns runs that a fixed configuration for the peak would have needed
 * @param delayP50Seconds from stored to done, median, real seconds
 * @param delayP99Seconds the same, 99th percentile
 * @param managerDecisions decisions of the queue managers
 */
record Summary(
    long sent,
    long acknowledged,
    long lost,
    long duplicates,
    long dead,
    long workerRuns,
    long fixedRuns,
    double delayP50Seconds,
    double delayP99Seconds,
    long managerDecisions) {

  List<String> lines() {
    return List.of(
        "",
        "The day is over:",
        line("events sent", Figures.count(sent)),
        line("acknowledged", Figures.count(acknowledged)),
        line("lost", Figures.count(lost)),
        line("processed twice", Figures.count(duplicates)),
        line("dead letters", Figures.count(dead)),
        line("worker runs", Figures.count(workerRuns)),
        line("fixed set-up", Figures.count(fixedRuns) + " runs, if sized for each queue's peak"),
        line("delay", "p50 " + Ages.took(delayP50Seconds) + ", p99 " + Ages.took(delayP99Seconds)),
        line("decisions", Figures.count(managerDecisions)));
  }

  private static String line(String label, String value) {
    return String.format(Locale.ROOT, "  %-16s %s", label, value);
  }
}
