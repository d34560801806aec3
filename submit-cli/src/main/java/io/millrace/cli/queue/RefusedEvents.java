package io.millrace.cli.queue;

import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.util.ArrayList;
import java.util.List;

/** Events of a queue of sessions that were refused while others of their batches were stored. */
final class RefusedEvents {
  private static final int SHOWN = 10;

  private final List<RefusedEvent> first = new ArrayList<>();
  private long count;

  void add(SendAnswer answer) {
    count += answer.refused().size();
    answer.refused().stream().limit(SHOWN - first.size()).forEach(first::add);
  }

  /** Prints some of them, and how many there are. */
  void print(Invocation invocation) {
    if (count == 0) {
      return;
    }
    invocation.note(
        "%s refused; send them again under the same batch name, or correct them"
            .formatted(Figures.count(count, "event")));
    for (RefusedEvent event : first) {
      invocation.note(
          "  %s, key %s: %s [%s]"
              .formatted(
                  Escaping.text(event.id()),
                  Escaping.text(event.key()),
                  Escaping.text(event.message()),
                  event.code()));
    }
    if (count > first.size()) {
      invocation.note("  … and " + Figures.count(count - first.size()) + " more");
    }
  }

  /** The exit code for the first of them; 0 if there are none. */
  int exitCode() {
    return (first.isEmpty() ? ExitCode.OK : ExitCode.of(first.get(0).code())).code();
  }
}
