package io.millrace.platform.lifecycle;

import java.util.function.Consumer;

/**
 * Logs once that something fails at each tick, and once that it works again. Used by one thread.
 */
public final class RepeatedFailureLog {
  private final String recovered;
  private final Consumer<String> print;
  private long failures;

  /**
   * No failure yet.
   *
   * @param recovered the message after the last failure
   */
  public RepeatedFailureLog(String recovered, Consumer<String> print) {
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
