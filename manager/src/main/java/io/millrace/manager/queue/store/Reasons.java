package io.millrace.manager.queue.store;

/** Fits words for people into their columns. */
final class Reasons {
  private static final int LONGEST = 2_000;

  private Reasons() {}

  static String shortened(String reason) {
    return reason == null ? "" : reason.substring(0, Math.min(reason.length(), LONGEST));
  }
}
