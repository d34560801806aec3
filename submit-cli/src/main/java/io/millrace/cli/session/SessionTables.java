package io.millrace.cli.session;

import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.KeptEvent;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** Formats sessions, their workers and their figures as tables. Pure. */
public final class SessionTables {
  private static final int SHORT_ID = 8;

  private SessionTables() {}

  /** The figures of sessions, one row for each segment that has some. */
  public static Table figures(List<SegmentFigures> segments) {
    Table table =
        new Table(
            Column.left("NODE", 20),
            Column.right("SLOTS"),
            Column.right("WAITING SLOTS"),
            Column.right("UNASSIGNED"),
            Column.right("ASSIGNED"),
            Column.right("CAPACITY"),
            Column.right("WORKERS"),
            Column.right("PARKED"),
            Column.right("REMEMBERED"),
            Column.right("HAND-OVERS"),
            Column.right("DUPLICATES"),
            Column.right("REFUSED"),
            Column.right("STALLED"));
    for (SegmentFigures segment : segments) {
      SessionFigures sessions = segment.sessions();
      if (sessions != null) {
        table.row(
            segment.node(),
            sessions.slots(),
            marked(sessions.waitingSlots(), Style.WARNING),
            sessions.unassigned(),
            sessions.assigned(),
            sessions.capacity(),
            sessions.workers(),
            marked(sessions.parked(), Style.BAD),
            sessions.remembered(),
            sessions.handovers(),
            sessions.duplicates(),
            sessions.refused(),
            sessions.stalledSeconds() == 0 ? "-" : Ages.took(sessions.stalledSeconds()));
      }
    }
    return table;
  }

  private static Cell marked(long count, Style style) {
    return count == 0 ? Cell.of(0) : Cell.of(Figures.count(count), style);
  }

  /** Sessions, one per row. */
  static Table sessions(List<SessionView> sessions, Instant now) {
    Table table =
        new Table(
            Column.left("KEY", 40),
            Column.left("STATE"),
            Column.left("WORKER", 24),
            Column.left("NODE", 20),
            Column.right("NUMBER"),
            Column.right("EVENTS"),
            Column.right("DONE"),
            Column.right("OPENED"),
            Column.right("OLDEST"),
            Column.left("WAITS FOR", 60));
    for (SessionView session : sessions) {
      table.row(
          session.key(),
          state(session.state()),
          worker(session),
          session.node(),
          String.valueOf(session.number()),
          session.accepted(),
          session.acknowledged(),
          Ages.since(session.openedAt(), now),
          oldest(session.oldestUnacknowledgedSeconds()),
          session.waitsFor() == null ? "" : session.waitsFor());
    }
    return table;
  }

  /** A state as it is shown everywhere. */
  static Cell state(SessionState state) {
    Style style =
        switch (state) {
          case UNASSIGNED -> Style.WARNING;
          case OPEN -> Style.ACTIVE;
          case PARKED -> Style.BAD;
          case COMPLETED -> Style.GOOD;
        };
    return Cell.of(state.name().toLowerCase(Locale.ROOT), style);
  }

  private static String worker(SessionView session) {
    if (session.worker() == null) {
      return "-";
    }
    return session.workerName() == null ? brief(session.worker()) : session.workerName();
  }

  /** The beginning of an ID, with which the worker can be named in a command. */
  static String brief(UUID worker) {
    return worker == null ? "-" : worker.toString().substring(0, SHORT_ID);
  }

  private static String oldest(double seconds) {
    return seconds == 0 ? "-" : Ages.took(seconds);
  }

  /** Events that are kept of a session. */
  static Table events(List<KeptEvent> events, Instant now) {
    Table table =
        new Table(
            Column.right("N"),
            Column.left("ID", 40),
            Column.right("STORED"),
            Column.left("STATE"),
            Column.left("ATTRIBUTES", 40),
            Column.left("DATA", 60));
    for (KeptEvent event : events) {
      table.row(
          String.valueOf(event.n()),
          event.id(),
          Ages.since(event.storedAt(), now),
          Cell.of(event.state().toLowerCase(Locale.ROOT), styleOf(event.state())),
          event.attributes(),
          String.valueOf(event.data()));
    }
    return table;
  }

  private static Style styleOf(String eventState) {
    return switch (eventState) {
      case "DELIVERED" -> Style.ACTIVE;
      case "ACKNOWLEDGED" -> Style.GOOD;
      default -> Style.PLAIN;
    };
  }

  /** What happened to a session, the earliest first. */
  static Table moments(List<SessionMoment> history, Instant now) {
    Table table =
        new Table(
            Column.right("AGO"),
            Column.left("WHAT"),
            Column.right("NUMBER"),
            Column.left("WORKER"),
            Column.left("REASON", 100));
    for (SessionMoment moment : history) {
      table.row(
          Ages.since(moment.at(), now),
          moment.what().toLowerCase(Locale.ROOT),
          moment.number() == null ? "-" : moment.number().toString(),
          brief(moment.worker()),
          moment.reason() == null ? "" : moment.reason());
    }
    return table;
  }

  /** Workers, one row for each node that one takes sessions from. */
  static Table workers(List<SessionWorkerView> workers) {
    Table table =
        new Table(
            Column.left("ID"),
            Column.left("NAME", 24),
            Column.left("NODE", 20),
            Column.left("STATE"),
            Column.right("SESSIONS"),
            Column.right("CAP"),
            Column.right("EVENTS"),
            Column.right("SILENT"),
            Column.right("MISSED"),
            Column.right("OLDEST"),
            Column.left("JOB"));
    for (SessionWorkerView worker : workers) {
      table.row(
          worker.id(),
          worker.name(),
          worker.node(),
          state(worker),
          worker.sessions(),
          worker.cap(),
          worker.reported(),
          Ages.took(worker.silentSeconds()),
          marked(worker.missed(), Style.WARNING),
          oldest(worker.oldestUnacknowledgedSeconds()),
          worker.job() == null ? "-" : worker.job());
    }
    return table;
  }

  private static Cell state(SessionWorkerView worker) {
    Style style =
        switch (worker.state()) {
          case AVAILABLE -> worker.leaving() ? Style.WARNING : Style.GOOD;
          case ABSENT -> Style.BAD;
          case RETIRED -> Style.FAINT;
          case REGISTERED -> Style.PLAIN;
        };
    String word = worker.state().name().toLowerCase(Locale.ROOT);
    return Cell.of(worker.leaving() ? word + ", leaving" : word, style);
  }
}
