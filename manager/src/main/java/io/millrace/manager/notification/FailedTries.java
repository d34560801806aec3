package io.millrace.manager.notification;

import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.NotificationDelivery.ClaimedTransactions;
import io.millrace.manager.notification.OutgoingNotice.Destination;
import io.millrace.manager.notification.OutgoingNotice.NoticeTable;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records failed tries: each notice has three of its own, with pauses of 10 s and 20 s; a try that
 * gets no HTTP answer also lets all notices that are due at the same scheme, host and port wait as
 * long, and gives those up that have shared three such tries without an answer in between. Used by
 * one thread; blocks on the database.
 */
final class FailedTries {
  private static final Logger LOGGER = LoggerFactory.getLogger(FailedTries.class);
  private static final int MAX_TRIES = 3;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

  /** Most notices that share a failed try in one transaction. */
  private static final int PIECE = 1_000;

  /** Most pieces of one table; notices behind them are due in the next run. */
  private static final int MAX_PIECES = 20;

  /**
   * Most notices whose shares are remembered, of one server, and of all others; further ones are
   * not given up until there is room.
   */
  private static final int MAX_SHARES = 50_000;

  private final Database database;
  private final DatabaseTime time;
  private final List<NoticeTable> ofUsers;
  private final List<NoticeTable> ofOperators;
  // By server, the last to give no answer last. Not stored: another central manager begins again,
  // so that notices to a dead server only have more tries.
  private final Map<Destination, Map<SharingNotice, Integer>> silent = new LinkedHashMap<>();

  /**
   * Knows no failure.
   *
   * @param ofUsers tables with notices to addresses that users chose
   * @param ofOperators tables with notices to the address in the central managers' settings
   */
  FailedTries(Database database, List<NoticeTable> ofUsers, List<NoticeTable> ofOperators) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.ofUsers = ofUsers;
    this.ofOperators = ofOperators;
  }

  /** The server answered, with whatever status: the tries that notices have shared are void. */
  void answered(Destination server) {
    silent.remove(server);
  }

  /** Records a try that concerns no other notice. */
  void alone(ClaimedTransactions transactions, FailedTry failed) {
    OutgoingNotice notice = failed.notice();
    record(transactions, failed, notice.tries(), database.now());
  }

  /** Records a try that the server did not answer, for all notices that are due there. */
  void unanswered(ClaimedTransactions transactions, FailedTry failed) {
    Instant now = database.now();
    OutgoingNotice notice = failed.notice();
    Destination server = notice.destination().server();
    Map<SharingNotice, Integer> known = silent.remove(server);
    Map<SharingNotice, Integer> shares = known == null ? new HashMap<>() : known;
    forgetLongestSilent();
    silent.put(server, shares);
    int shared = shares.getOrDefault(SharingNotice.of(notice), 0);
    if (record(transactions, failed, Math.max(notice.tries(), shared), now)) {
      shares.remove(SharingNotice.of(notice));
    } else {
      remember(shares, List.of(notice), shared + 1);
    }
    long sharing = 0;
    for (NoticeTable table : server.ofOperators() ? ofOperators : ofUsers) {
      sharing += share(transactions, table, failed, shares, now);
    }
    if (sharing > 0) {
      LOGGER.warn("{} more notices to {} share this try", sharing, failed.target().shown());
    }
    if (shares.isEmpty()) {
      silent.remove(server);
    }
  }

  /** Returns whether the notice is given up. */
  private boolean record(
      ClaimedTransactions transactions, FailedTry failed, int earlier, Instant now) {
    OutgoingNotice notice = failed.notice();
    LOGGER.warn("the notice about {} could not be delivered: {}", failed.toldOf(), failed.reason());
    boolean givenUp = givenUp(earlier);
    transactions.run(
        handle -> {
          if (!givenUp) {
            notice.failed(handle, failed.reason(), next(earlier, now));
          } else if (notice.end(handle)) {
            NoticeFailureDao.failed(
                handle, failed.target(), failed.toldOf(), failed.reason(), time.now(handle));
          }
        });
    return givenUp;
  }

  private static boolean givenUp(int earlierTries) {
    return earlierTries + 1 >= MAX_TRIES;
  }

  private static Instant next(int earlierTries, Instant now) {
    return now.plus(FIRST_PAUSE.multipliedBy(1L << earlierTries));
  }

  private long share(
      ClaimedTransactions transactions,
      NoticeTable table,
      FailedTry failed,
      Map<SharingNotice, Integer> shares,
      Instant now) {
    Destination server = failed.notice().destination().server();
    long sharing = 0;
    DuePosition after = DuePosition.START;
    for (int piece = 0; piece < MAX_PIECES; piece++) {
      List<OutgoingNotice> due = due(table, now, after);
      Map<Group, List<OutgoingNotice>> groups =
          due.stream()
              .filter(notice -> notice.destination().server().equals(server))
              .collect(
                  Collectors.groupingBy(
                      notice ->
                          new Group(
                              notice.dueAt(), shares.getOrDefault(SharingNotice.of(notice), 0))));
      if (!groups.isEmpty()) {
        transactions.run(
            handle ->
                groups.forEach((group, same) -> share(handle, table, failed, group, same, now)));
      }
      for (Map.Entry<Group, List<OutgoingNotice>> group : groups.entrySet()) {
        sharing += group.getValue().size();
        if (givenUp(group.getKey().shared())) {
          group.getValue().forEach(notice -> shares.remove(SharingNotice.of(notice)));
        } else {
          remember(shares, group.getValue(), group.getKey().shared() + 1);
        }
      }
      if (due.size() < PIECE) {
        break;
      }
      after = due.get(PIECE - 1).position();
    }
    return sharing;
  }

  private List<OutgoingNotice> due(NoticeTable table, Instant now, DuePosition after) {
    return database.read(handle -> table.due(handle, now, after, PIECE));
  }

  private void share(
      Handle handle,
      NoticeTable table,
      FailedTry failed,
      Group group,
      List<OutgoingNotice> same,
      Instant now) {
    if (!givenUp(group.shared())) {
      Instant next = next(group.shared(), now);
      table.postpone(handle, ids(same), group.dueAt(), 0, failed.reason(), next);
      return;
    }
    // By address, as each is shown and mended by itself.
    same.stream()
        .collect(Collectors.groupingBy(OutgoingNotice::destination))
        .forEach(
            (destination, notices) -> {
              int ended = table.end(handle, ids(notices), group.dueAt());
              if (ended > 0) {
                NoticeFailureDao.failed(
                    handle,
                    WebhookPost.target(destination.target()),
                    ended,
                    notices.get(0).toldOf(),
                    failed.reason(),
                    time.now(handle));
              }
            });
  }

  private static List<Long> ids(List<OutgoingNotice> notices) {
    return notices.stream().map(OutgoingNotice::id).toList();
  }

  private void forgetLongestSilent() {
    long remembered = silent.values().stream().mapToLong(Map::size).sum();
    Iterator<Map<SharingNotice, Integer>> longest = silent.values().iterator();
    while (remembered > MAX_SHARES && longest.hasNext()) {
      remembered -= longest.next().size();
      longest.remove();
    }
  }

  private static void remember(
      Map<SharingNotice, Integer> shares, List<OutgoingNotice> notices, int shared) {
    for (OutgoingNotice notice : notices) {
      SharingNotice sharing = SharingNotice.of(notice);
      if (shares.size() < MAX_SHARES || shares.containsKey(sharing)) {
        shares.put(sharing, shared);
      }
    }
  }

  /**
   * A try that failed.
   *
   * @param notice that was tried
   * @param toldOf what it is about
   * @param target its address or command as operators are shown it
   * @param reason why the try failed
   */
  record FailedTry(OutgoingNotice notice, String toldOf, FailingTarget target, String reason) {}

  /** Notices that are due since the same time and have shared as many tries. */
  private record Group(Instant dueAt, int shared) {}

  /** A notice that shares tries, by its row. */
  private record SharingNotice(NoticeTable table, long id) {
    static SharingNotice of(OutgoingNotice notice) {
      return new SharingNotice(notice.table(), notice.id());
    }
  }
}
