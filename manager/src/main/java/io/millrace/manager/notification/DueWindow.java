package io.millrace.manager.notification;

import io.millrace.manager.notification.OutgoingNotice.NoticeTable;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The due notices among which a run chooses: the longest due, and if there are many, in turn a part
 * of those behind them, so that many notices for one destination hide no other. Used by one thread.
 */
final class DueWindow {
  /** Most notices that are read at once. */
  private static final int SIZE = 200;

  private final Database database;
  private final NoticeTable table;
  private DuePosition reached = DuePosition.START;

  DueWindow(Database database, NoticeTable table) {
    this.database = database;
    this.table = table;
  }

  /**
   * The longest due first; of those that are due since the same time, those with the fewest tries,
   * so that one that fails again and again is not the first each time.
   */
  List<OutgoingNotice> next(Instant now) {
    List<OutgoingNotice> window = window(now);
    window.sort(
        Comparator.comparing(OutgoingNotice::dueAt).thenComparingInt(OutgoingNotice::tries));
    return window;
  }

  private List<OutgoingNotice> window(Instant now) {
    List<OutgoingNotice> window = new ArrayList<>(read(now, DuePosition.START));
    if (window.size() < SIZE) {
      reached = DuePosition.START;
      return window;
    }
    DuePosition end = window.get(SIZE - 1).position();
    List<OutgoingNotice> behind = read(now, end.compareTo(reached) > 0 ? end : reached);
    reached = behind.size() < SIZE ? DuePosition.START : behind.get(SIZE - 1).position();
    window.addAll(behind);
    return window;
  }

  private List<OutgoingNotice> read(Instant now, DuePosition after) {
    return database.read(handle -> table.due(handle, now, after, SIZE));
  }
}
