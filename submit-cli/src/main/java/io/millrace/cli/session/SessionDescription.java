package io.millrace.cli.session;

import io.millrace.api.MessageText;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import java.time.Instant;
import java.util.List;

/** Describes one session: fields, history, snapshot and events. */
final class SessionDescription {
  private final String queue;
  private final SessionDetails details;
  private final Instant now;
  private final FieldList fields;

  SessionDescription(String queue, SessionDetails details, Instant now, Palette palette) {
    this.queue = queue;
    this.details = details;
    this.now = now;
    this.fields = new FieldList(palette);
  }

  List<String> lines() {
    SessionView session = details.session();
    fields.title("session %s of %s".formatted(session.key(), queue));
    fields.value("state", SessionTables.state(session.state()));
    fields.value(
        "waits for",
        session.waitsFor() == null ? null : Cell.of(session.waitsFor(), Style.WARNING));
    fields.value("worker", worker(session));
    fields.value("node", "%s, slot %d".formatted(session.node(), session.slot()));
    fields.value("number", session.number());
    fields.value("events", events(session));
    fields.value("opened", ago(session.openedAt()));
    boolean ended = session.state() == SessionState.COMPLETED;
    fields.value(ended ? "ended" : "last event", ago(session.lastEventAt()));
    fields.value(
        "oldest",
        session.oldestUnacknowledgedSeconds() == 0
            ? null
            : Ages.took(session.oldestUnacknowledgedSeconds()) + " not acknowledged");
    fields.value("snapshot", details.snapshotThrough() == 0 ? null : snapshot());
    fields.table("History", SessionTables.moments(details.history(), now));
    fields.quote(
        "Snapshot", details.snapshot() == null ? null : String.valueOf(details.snapshot()));
    fields.table("Events kept", SessionTables.events(details.events(), now));
    if (details.moreEvents() > 0) {
      long more = details.moreEvents();
      fields.note(
          "… and %s not shown"
              .formatted(Figures.count(more, "more event") + (more == 1 ? " is" : " are")));
    }
    return fields.lines();
  }

  private String snapshot() {
    String covers = "covers the events up to number " + details.snapshotThrough();
    boolean tooLarge = details.snapshot() == null && details.snapshotBytes() > 0;
    return tooLarge
        ? "%s; it has %s bytes and is not shown"
            .formatted(covers, Figures.count(details.snapshotBytes()))
        : covers;
  }

  private static String worker(SessionView session) {
    if (session.worker() == null) {
      return "none";
    }
    return session.workerName() == null
        ? session.worker().toString()
        : "%s (%s)".formatted(session.workerName(), session.worker());
  }

  private static String events(SessionView session) {
    long open = session.accepted() - session.acknowledged();
    if (session.state() == SessionState.COMPLETED) {
      return "%s accepted; %s"
          .formatted(
              Figures.count(session.accepted()),
              open <= 0
                  ? "all acknowledged"
                  : MessageText.counted(open, "event")
                      + (open == 1 ? " was" : " were")
                      + " given up");
    }
    return "%s accepted, %s acknowledged, %s not"
        .formatted(
            Figures.count(session.accepted()),
            Figures.count(session.acknowledged()),
            Figures.count(open));
  }

  private String ago(Instant then) {
    return then == null ? null : Ages.since(then, now) + " ago";
  }
}
