package io.millrace.manager.weight;

/** Fits words for people into their columns. */
public final class Reasons {
  private static final int LONGEST = 2_000;

  private Reasons() {}

  public static String shortened(String reason) {
    return reason == null ? "" : reason.substring(0, Math.min(reason.length(), LONGEST));
  }
}
