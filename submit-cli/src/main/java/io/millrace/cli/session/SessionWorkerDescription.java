package io.millrace.cli.session;

import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Describes one session worker: its state at each queue node, and its sessions. */
final class SessionWorkerDescription {
  private final List<SessionWorkerView> worker;
  private final SessionPage some;
  private final Instant now;
  private final FieldList fields;

  /**
   * A description.
   *
   * @param worker once for each node
   * @param some of its sessions
   */
  SessionWorkerDescription(
      List<SessionWorkerView> worker, SessionPage some, Instant now, Palette palette) {
    this.worker = worker;
    this.some = some;
    this.now = now;
    this.fields = new FieldList(palette);
  }

  List<String> lines() {
    SessionWorkerView first = worker.get(0);
    fields.title("session worker %s of %s".formatted(first.id(), first.queue()));
    fields.value("name", first.name());
    String jobs =
        worker.stream()
            .map(SessionWorkerView::job)
            .filter(Objects::nonNull)
            .distinct()
            .collect(Collectors.joining(", "));
    fields.value("job", jobs.isEmpty() ? "none; a program outside of Millrace" : jobs);
    fields.value(
        "sessions",
        "%s of at most %s"
            .formatted(
                Figures.count(worker.stream().mapToLong(SessionWorkerView::sessions).sum()),
                Figures.count(worker.stream().mapToLong(SessionWorkerView::cap).sum())));
    fields.table("Queue nodes", SessionTables.workers(worker));
    fields.table(
        some.next() == null ? "Sessions" : "Some of its sessions",
        SessionTables.sessions(some.sessions(), now));
    return fields.lines();
  }
}
