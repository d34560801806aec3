package io.millrace.cli.queue;

import io.millrace.api.queue.QueueControl;

/** What is paused of a queue, in words. */
final class Controls {
  private Controls() {}

  /** {@code consuming paused by ann: bad deploy}; {@code nothing paused}. */
  static String words(QueueControl control) {
    if (control == null || !control.paused()) {
      return "nothing paused";
    }
    String what =
        control.sendingPaused() && control.consumingPaused()
            ? "sending and consuming"
            : control.sendingPaused() ? "sending" : "consuming";
    return what
        + " paused"
        + (control.by() == null ? "" : " by " + control.by())
        + (control.reason() == null ? "" : ": " + control.reason());
  }
}
