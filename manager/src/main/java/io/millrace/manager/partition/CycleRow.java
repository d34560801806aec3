package io.millrace.manager.partition;

import io.millrace.api.partition.PartitionCycle;
import java.time.Duration;
import java.time.Instant;

/**
 * A cycle as stored.
 *
 * @param group whose it is
 * @param number counts the group's cycles
 * @param began a multiple of the interval, by the database's clock
 * @param interval at which it was begun
 * @param beginRevision the group's at the begin: who lived then shares the cycle
 * @param revision the group's when what everybody is to do was last computed
 * @param mark of the list with which it was begun
 * @param total resources
 * @param done recorded ones
 * @param again resources that were given to a second member
 */
public record CycleRow(
    String group,
    long number,
    Instant began,
    Duration interval,
    long beginRevision,
    long revision,
    long mark,
    long total,
    long done,
    long again) {

  public PartitionCycle view() {
    return new PartitionCycle(number, began, interval, total, done, again);
  }

  /** With so many more resources. */
  public CycleRow listed(int more) {
    return with(revision, total + more, again);
  }

  /** With what is to be done computed anew, and so many resources to be polled again. */
  public CycleRow settled(long at, int released) {
    return with(at, total, again + released);
  }

  private CycleRow with(long newRevision, long newTotal, long newAgain) {
    return new CycleRow(
        group, number, began, interval, beginRevision, newRevision, mark, newTotal, done, newAgain);
  }
}
