package io.millrace.cli.definition;

import io.millrace.api.Durations;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.cli.output.ShellQuoting;
import java.util.LinkedHashMap;
import java.util.Map;

/** A queue in words. Pure. */
final class QueueFormatter {
  private QueueFormatter() {}

  static Map<String, String> of(QueueDefinition queue) {
    Map<String, String> words = new LinkedHashMap<>();
    if (queue.worker() == null) {
      words.put("worker", "none: programs of your own take its events");
      return words;
    }
    words.put("worker", worker(queue.worker()));
    words.put(
        "events",
        "up to "
            + queue.batch()
            + " a worker; an event that fails "
            + queue.maxAttempts()
            + " times alone is a dead letter");
    words.put("pacing", pacing(queue.pacing()));
    if (queue.source() != null) {
      words.put("source", "what " + ShellQuoting.of(queue.source().waiting()) + " counts");
    }
    return words;
  }

  private static String worker(WorkerDefinition worker) {
    return ShellQuoting.of(worker.command())
        + ", input "
        + worker.input().word()
        + ", at most "
        + Durations.format(worker.timeout())
        + ", pool "
        + worker.pool();
  }

  private static String pacing(PacingDefinition pacing) {
    String rule =
        pacing.policy().equals("demand")
            ? "events wait " + Durations.format(pacing.waitTarget()) + " at most"
            : "more workers from " + pacing.upperLimit() + " waiting events on";
    return pacing.policy()
        + ": "
        + rule
        + ", up to "
        + pacing.maxWorkers()
        + " workers, decides every "
        + Durations.format(pacing.tick());
  }
}
