package io.millrace.cli.queue;

import io.millrace.api.queue.QueueControl;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;

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
    return what + " " + control.words();
  }

  /** Tells what holds for the queue now. */
  static void tell(Invocation invocation, String queue, QueueControl control) {
    if (invocation.json()) {
      invocation.terminal().json(control);
    } else {
      invocation
          .terminal()
          .line("queue " + Escaping.text(queue) + ": " + Escaping.text(words(control)));
    }
  }
}
