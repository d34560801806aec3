package io.millrace.manager.job;

/**
 * How jobs' notifications are delivered.
 *
 * @param privateAddresses whether web addresses on this machine and in private networks may be
 *     posted to; anybody who may submit jobs could make the central manager call them
 */
public record NotificationSettings(boolean privateAddresses) {
  /** Public addresses only. */
  public static NotificationSettings defaults() {
    return new NotificationSettings(false);
  }
}
