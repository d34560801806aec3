package io.millrace.manager.placement;

/**
 * A job that may start now.
 *
 * @param id the job's id
 * @param slots slots it takes, at least 1
 * @param priority higher goes first
 * @param near name of the queue node that it would like to run beside; null for none
 */
public record ReadyJob(long id, int slots, int priority, String near) {
  public ReadyJob {
    if (slots < 1) {
      throw new IllegalArgumentException("job " + id + " takes " + slots + " slots");
    }
  }
}
