package io.millrace.tests.drill.check;

import io.millrace.tests.drill.check.Availability.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Maps times of the database's clock to seconds since boot. The clock may have been stepped, so
 * that it showed a time twice or never. Pure.
 */
public final class DatabaseTimes {
  private static final Duration COARSE = Duration.ofMillis(20);

  private final List<ClusterSample> samples;

  /** From samples of one clock, in any order. */
  public DatabaseTimes(List<ClusterSample> samples) {
    this.samples = samples.stream().sorted(Comparator.comparingDouble(ClusterSample::at)).toList();
  }

  /**
   * The spans in which the clock may have shown that time; a time that it skipped lies within its
   * step. Empty for a time outside all samples.
   */
  public List<Span> when(Instant time) {
    List<Span> spans = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      ClusterSample before = samples.get(i - 1);
      ClusterSample after = samples.get(i);
      boolean from = !time.isBefore(before.databaseTime().minus(COARSE));
      boolean until = !time.isAfter(after.databaseTime().plus(COARSE));
      if (from && until) {
        spans.add(new Span(before.at(), after.at()));
      }
    }
    return spans;
  }
}
