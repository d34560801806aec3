package io.millrace.executor.agent;

import java.time.Duration;

/**
 * How long polls of this node wait for news, and for an answer (ADR 19). Several central managers
 * may be frozen or cut off at the same time, and one that is not has to hear of this node within
 * its lease. Pure.
 *
 * @param lease the node's; null while none was told
 * @param servers how many central managers can be asked
 * @param unanswered calls in a row that were not answered, each by another of them
 * @param exclusive whether single instances run here, which end with the lease
 */
record PollTimes(Duration lease, int servers, int unanswered, boolean exclusive) {
  private static final int POLLS_PER_LEASE = 4;
  private static final int EXCLUSIVE_POLLS_PER_LEASE = 6;
  private static final int MARGINS_PER_LEASE = 6;
  private static final int PAUSES_PER_LEASE = 8;
  private static final Duration UNTOLD = Duration.ofSeconds(1);
  private static final Duration LEAST_MARGIN = Duration.ofMillis(250);

  /**
   * How long a poll may wait for news: short enough for several renewals in a lease. After one that
   * was not answered each of the others is asked once for an answer at once; if none gives one,
   * they may all be slow, and the next is given the usual time again.
   */
  Duration patience(Duration usual) {
    if (lease == null) {
      return usual;
    }
    if (unanswered % servers > 0) {
      return Duration.ZERO;
    }
    Duration often = lease.dividedBy(exclusive ? EXCLUSIVE_POLLS_PER_LEASE : POLLS_PER_LEASE);
    return often.compareTo(usual) < 0 ? often : usual;
  }

  /**
   * The pause before the next call, after one that was not answered: when an outage ends, a central
   * manager that serves has to be found within a lease, beside others that do not.
   */
  Duration pause(Duration usual) {
    Duration most = lease == null ? usual : lease.dividedBy(PAUSES_PER_LEASE);
    return most.compareTo(usual) < 0 ? most : usual;
  }

  /** How long to wait for the answer to a poll of that patience. */
  Duration limit(Duration patience) {
    Duration margin = lease == null ? UNTOLD : lease.dividedBy(MARGINS_PER_LEASE);
    return patience.plus(margin.compareTo(LEAST_MARGIN) < 0 ? LEAST_MARGIN : margin);
  }
}
