package io.millrace.manager.pacing;

import java.util.function.Consumer;

/** Reports once that something fails and once that it works again. Used by one thread. */
public final class Streak {
  private final String recovered;
  private final Consumer<String> print;
  private long failures;

  /**
   * No failure yet.
   *
   * @param recovered the message after the last failure
   */
  public Streak(String recovered, Consumer<String> print) {
    this.recovered = recovered;
    this.print = print;
  }

  public void failed(String message) {
    if (failures++ == 0) {
      print.accept(message);
    }
  }

  public void succeeded() {
    if (failures > 0) {
      print.accept(recovered + " after " + failures + " failed ticks");
      failures = 0;
    }
  }
}
