package io.millrace.tests.drill.cluster;

/** The kinds of faults, independent of the role. */
public enum FaultKind {
  KILL("kill -9"),
  SHORT_FREEZE("frozen for seconds"),
  LONG_FREEZE("frozen for minutes"),
  FREEZE_IN_TRANSACTION("frozen in a transaction"),
  CUT("cut off"),
  CUT_ONE_WAY("cut one way"),
  SLOW("slow link"),
  REPEATED("requests repeated"),
  LATE("requests after newer"),
  READ_ONLY("read-only"),
  DISK_FULL("disk full"),
  SMALL_HEAP("small heap"),
  CLOCK_STEP("clock stepped");

  private final String words;

  FaultKind(String words) {
    this.words = words;
  }

  /** The text for the table. */
  public String words() {
    return words;
  }
}
