package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import java.time.Duration;
import java.time.Instant;

/** What an attempt is really given: pure. */
public final class EffectiveSpec {
  private static final Duration LEAST = Duration.ofMillis(1);

  private EffectiveSpec() {}

  /**
   * The specification with no more time than its deadline leaves.
   *
   * @param now by the database's clock, when it is handed out
   */
  public static JobSpec of(JobSpec spec, Instant now) {
    if (spec.deadline() == null) {
      return spec;
    }
    Duration left = Duration.between(now, spec.deadline());
    if (left.compareTo(LEAST) < 0) {
      left = LEAST;
    }
    boolean shorter = spec.timeout() == null || left.compareTo(spec.timeout()) < 0;
    return shorter ? spec.draft().timeout(left).spec() : spec;
  }
}
