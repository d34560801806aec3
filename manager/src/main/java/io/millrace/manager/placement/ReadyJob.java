package io.millrace.manager.placement;

/**
 * A job that may start now.
 *
 * @param id the job's id
 * @param slots slots it takes; 0 for a built-in program
 * @param priority higher goes first
 * @param near name of the queue node that it would like to run beside; null for none
 */
public record ReadyJob(long id, int slots, int priority, String near) {
  public ReadyJob {
    if (slots < 0) {
      throw new IllegalArgumentException("job " + id + " takes " + slots + " slots");
    }
  }
}
