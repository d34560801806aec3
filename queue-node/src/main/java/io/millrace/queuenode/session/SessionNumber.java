package io.millrace.queuenode.session;

import io.millrace.api.Pure;

/**
 * Which assignment of a session something belongs to: it rises whenever a session gets another
 * worker, on whatever node. What carries a lower number comes from a worker that no longer has the
 * session, and is refused.
 *
 * @param epoch of the session's slot, which rises when another node gets the slot
 * @param handover of the session on this node, from 1; 0 before its first assignment
 */
@Pure
record SessionNumber(long epoch, int handover) implements Comparable<SessionNumber> {
  @Override
  public int compareTo(SessionNumber other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Integer.compare(handover, other.handover);
  }
}
