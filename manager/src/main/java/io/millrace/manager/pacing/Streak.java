package io.millrace.manager.pacing;

import java.util.function.Consumer;

/** Says once that something is away and once that it is back. Used by one thread. */
public final class Streak {
  private final String back;
  private final Consumer<String> print;
  private long failures;

  /**
   * No failure yet.
   *
   * @param back what to say after the last failure
   */
  public Streak(String back, Consumer<String> print) {
    this.back = back;
    this.print = print;
  }

  public void failed(String words) {
    if (failures++ == 0) {
      print.accept(words);
    }
  }

  public void succeeded() {
    if (failures > 0) {
      print.accept(back + " after " + failures + " failed ticks");
      failures = 0;
    }
  }
}
