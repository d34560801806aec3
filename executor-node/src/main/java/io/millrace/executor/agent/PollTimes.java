package io.millrace.executor.agent;

import java.time.Duration;

/**
 * How long polls of this node wait for work, and for an answer (ADR 19). Several central managers
 * may be frozen or cut off at the same time, and a working one must be reached within the node's
 * lease. Pure.
 *
 * @param lease the node's lease; null while unknown
 * @param servers the number of central managers
 * @param unanswered consecutive calls that were not answered, each by another one
 * @param exclusive whether single instances run on this node, which end with the lease
 */
record PollTimes(Duration lease, int servers, int unanswered, boolean exclusive) {
  private static final int POLLS_PER_LEASE = 4;
  private static final int EXCLUSIVE_POLLS_PER_LEASE = 6;
  private static final int MARGINS_PER_LEASE = 6;
  private static final int PAUSES_PER_LEASE = 8;
  private static final Duration UNKNOWN_MARGIN = Duration.ofSeconds(1);
  private static final Duration MIN_MARGIN = Duration.ofMillis(250);

  /**
   * How long a poll may wait for work: short enough for several renewals per lease. After a call
   * that was not answered, each of the other central managers is asked once for an immediate
   * answer; if none answers, they may all be slow, and the next one gets the usual time again.
   */
  Duration timeout(Duration usual) {
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
   * The pause before the next call after one that was not answered: when an outage ends, a working
   * central manager must be found within a lease even if others do not answer.
   */
  Duration pause(Duration usual) {
    Duration max = lease == null ? usual : lease.dividedBy(PAUSES_PER_LEASE);
    return max.compareTo(usual) < 0 ? max : usual;
  }

  /** How long to wait for the answer to a poll with that timeout. */
  Duration limit(Duration timeout) {
    Duration margin = lease == null ? UNKNOWN_MARGIN : lease.dividedBy(MARGINS_PER_LEASE);
    return timeout.plus(margin.compareTo(MIN_MARGIN) < 0 ? MIN_MARGIN : margin);
  }
}
