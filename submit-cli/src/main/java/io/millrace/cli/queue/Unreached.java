package io.millrace.cli.queue;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.List;

/** Tells that some nodes did not answer, so that nobody takes a part for the whole. */
final class Unreached {
  private Unreached() {}

  static void note(Invocation invocation, List<String> nodes) {
    if (!nodes.isEmpty()) {
      invocation
          .terminal()
          .note(
              "note: "
                  + Escaping.text(String.join(", ", nodes))
                  + " did not answer; what is there is not counted");
    }
  }
}
