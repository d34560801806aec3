package io.millrace.manager.program;

import java.util.function.Consumer;

/** Says once that something is away and once that it is back. Used by one thread. */
final class Streak {
  private final String back;
  private final Consumer<String> print;
  private long failures;

  /**
   * No failure yet.
   *
   * @param back what to say after the last failure
   */
  Streak(String back, Consumer<String> print) {
    this.back = back;
    this.print = print;
  }

  void failed(String words) {
    if (failures++ == 0) {
      print.accept(words);
    }
  }

  void succeeded() {
    if (failures > 0) {
      print.accept(back + " after " + failures + " failed ticks");
      failures = 0;
    }
  }
}
