package io.millrace.executor.agent;

import io.millrace.api.Durations;
import io.millrace.api.job.JobSpec;
import java.time.Duration;

/**
 * When a single instance has to end because no central manager is heard of: pure. Its watchdog
 * kills it at the deadline; before that it is asked to end, so that it can do so in order.
 */
final class Failover {
  private static final int SHARE_FOR_ENDING = 12;

  private Failover() {}

  /**
   * Whether it is to be asked to end now.
   *
   * @param unheard since the last answered call was sent
   * @param lease the node's; no failover is shorter
   */
  static boolean isDue(JobSpec spec, Duration unheard, Duration lease) {
    if (!spec.exclusive()) {
      return false;
    }
    Duration deadline = time(spec, lease);
    Duration share = deadline.dividedBy(SHARE_FOR_ENDING);
    Duration toEnd = spec.grace().compareTo(share) < 0 ? spec.grace() : share;
    return unheard.compareTo(deadline.minus(toEnd)) >= 0;
  }

  static String words(Duration unheard) {
    return "no central manager has answered for "
        + Durations.format(Duration.ofSeconds(unheard.toSeconds()))
        + ", and its failover time is nearly over";
  }

  private static Duration time(JobSpec spec, Duration lease) {
    Duration failover = spec.failover();
    return failover == null || failover.compareTo(lease) < 0 ? lease : failover;
  }
}
