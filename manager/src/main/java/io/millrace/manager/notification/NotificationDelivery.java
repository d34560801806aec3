package io.millrace.manager.notification;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.NotificationDao.Notice;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.manager.notification.OutgoingNotice.Destination;
import io.millrace.manager.notification.OutgoingNotice.NoticeTable;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.WebhookPost.PostFailure;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.http.OutsideCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers due notices: commands once, as jobs of the same owner and user, and web requests at
 * least once, with three tries and the same id. A try that fails because of its address is one of
 * every notice that is due there. Runs as a claimed duty, on one thread.
 */
public final class NotificationDelivery {
  private static final Logger LOGGER = LoggerFactory.getLogger(NotificationDelivery.class);
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  // That many deliveries, each limited to WebhookPost.TIMEOUT, end well within the claim. Each
  // share is separate, so that none delays the others for long.
  private static final int MAX_OF_JOBS = 4;
  private static final int MAX_OF_SUBJECTS = 4;
  private static final int MAX_OF_PROBLEMS = 2;
  private static final int MAX_TRIES = 3;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
  private static final Duration KEPT = Duration.ofDays(1);
  // As long as runs of tasks, whose notices must not be written again.
  private static final Duration SENT_KEPT = Duration.ofDays(30);
  private static final int LONGEST_NAME = 200;

  /** Most notices that share a failed try in one transaction. */
  private static final int PIECE = 1_000;

  /** Most pieces of one table; notices behind them are due in the next run. */
  private static final int MAX_PIECES = 20;

  /** Most destinations whose last turns are remembered. */
  private static final int MAX_TURNS = 500;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final WebhookPost outside;
  private final WebhookPost ofOperators;
  private final NotificationDao store = new NotificationDao();
  private final NoticeTable problems;
  private final NoticeTable ofJobs;
  private final NoticeTable ofTasksAndQueues;
  private final DueWindow dueProblems;
  private final DueWindow dueOfJobs;
  private final DueWindow dueOfTasksAndQueues;
  // Only touched by the duty's thread.
  private Instant checkedUpTo = Instant.EPOCH;
  private final Map<Destination, Long> turns = new LinkedHashMap<>();
  private long turn;

  /**
   * Creates a delivery.
   *
   * @param outside sends requests to web addresses that users chose
   * @param ofOperators sends requests to the address in the central managers' settings
   */
  public NotificationDelivery(
      Database database,
      ClaimDao claims,
      JobLedger ledger,
      OutsideCalls outside,
      OutsideCalls ofOperators) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.outside = new WebhookPost(outside);
    this.ofOperators = new WebhookPost(ofOperators);
    this.problems = new SubjectNotices(ledger, EnumSet.of(NoticeSubject.PROBLEM));
    this.ofJobs = new JobNotices(database, ledger);
    this.ofTasksAndQueues =
        new SubjectNotices(ledger, EnumSet.complementOf(EnumSet.of(NoticeSubject.PROBLEM)));
    this.dueProblems = new DueWindow(database, problems);
    this.dueOfJobs = new DueWindow(database, ofJobs);
    this.dueOfTasksAndQueues = new DueWindow(database, ofTasksAndQueues);
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    Set<Destination> failing = new HashSet<>();
    int sent = deliverSome(claim, dueProblems, MAX_OF_PROBLEMS, failing);
    deliverSome(claim, dueOfJobs, MAX_OF_JOBS, failing);
    deliverSome(claim, dueOfTasksAndQueues, MAX_OF_SUBJECTS - sent, failing);
    // Also while some are due: a slow or unreachable address must not let the tables grow.
    under(claim, this::deleteOld);
    under(claim, this::deleteStarted);
  }

  private int deliverSome(Claim claim, DueWindow due, int most, Set<Destination> failing) {
    List<OutgoingNotice> chosen =
        NoticeChoice.choose(
            due.next(database.now()),
            OutgoingNotice::destination,
            destination -> turns.getOrDefault(destination, 0L),
            most);
    for (OutgoingNotice notice : chosen) {
      Destination destination = notice.destination();
      if (!failing.contains(destination)) {
        took(destination);
        Optional<SharedTry> failed = deliver(claim, notice);
        if (failed.isPresent()) {
          failing.add(destination);
          failedTogether(claim, failed.get());
        }
      }
    }
    return chosen.size();
  }

  private void took(Destination destination) {
    turns.remove(destination);
    turns.put(destination, ++turn);
    if (turns.size() > MAX_TURNS) {
      turns.remove(turns.keySet().iterator().next());
    }
  }

  private void deleteOld(Handle handle) {
    Instant now = time.now(handle);
    store.deleteOld(handle, now.minus(KEPT));
    SubjectNoticeDao.deleteOld(handle, now.minus(SENT_KEPT));
    NoticeFailureDao.deleteOld(handle, now.minus(KEPT), now.minus(SENT_KEPT));
  }

  // Some at a time, in turn, so that only notices of jobs that still wait are kept.
  private void deleteStarted(Handle handle) {
    List<Notice> delivered = store.delivered(handle, checkedUpTo);
    store.deleteStarted(handle, delivered.stream().map(Notice::id).toList());
    checkedUpTo =
        delivered.size() < NotificationDao.MAX
            ? Instant.EPOCH
            : delivered.get(delivered.size() - 1).dueAt().plusNanos(1_000);
  }

  /**
   * Delivers one notice. Whatever is wrong with it holds up no other, and ends after its tries.
   *
   * @return the try, if it failed because of its address
   */
  private Optional<SharedTry> deliver(Claim claim, OutgoingNotice notice) {
    try {
      if (!notice.load()) {
        under(claim, notice::drop);
      } else if (notice.destination().kind() == NoticeKind.COMMAND) {
        command(claim, notice);
      } else {
        return webhook(claim, notice);
      }
    } catch (RuntimeException e) {
      LOGGER.error("the notice about {} cannot be sent", notice.toldOf(), e);
      failed(claim, notice, target(notice), reason(e), next(notice, database.now()));
    }
    return Optional.empty();
  }

  // As a later delivery knows it, so that its success ends the problem.
  private static FailingTarget target(OutgoingNotice notice) {
    Destination destination = notice.destination();
    try {
      if (destination.kind() == NoticeKind.COMMAND) {
        return FailingTarget.command(argv(destination.target()));
      }
    } catch (RuntimeException unreadable) {
      LOGGER.debug("the target of the notice about {} is unreadable", notice.toldOf(), unreadable);
    }
    return FailingTarget.unknown(destination.kind(), destination.target());
  }

  private static String reason(RuntimeException failure) {
    return "it cannot be sent: "
        + (failure.getMessage() == null ? failure.toString() : failure.getMessage());
  }

  private static Instant next(OutgoingNotice notice, Instant now) {
    return now.plus(FIRST_PAUSE.multipliedBy(1L << notice.tries()));
  }

  private void command(Claim claim, OutgoingNotice notice) {
    List<String> argv = argv(notice.destination().target());
    FailingTarget target = FailingTarget.command(argv);
    try {
      under(
          claim,
          handle -> {
            if (notice.lock(handle)) {
              notice.done(handle);
              Instant now = time.now(handle);
              JobDraft draft =
                  JobDraft.command(argv)
                      .name(shortened("notify " + notice.name()))
                      .env(notice.variables(now));
              long job = notice.submit(handle, draft);
              NoticeFailureDao.commanded(handle, job, target, notice.toldOf(), now);
            }
          });
    } catch (MillraceException refused) {
      failed(claim, notice, target, refused.getMessage(), next(notice, database.now()));
    }
  }

  private Optional<SharedTry> webhook(Claim claim, OutgoingNotice notice) {
    Destination destination = notice.destination();
    String address = destination.target();
    FailingTarget target = FailingTarget.webhook(address, WebhookPost.host(address));
    WebhookPost post = destination.ofOperators() ? ofOperators : outside;
    Optional<PostFailure> failure = post.post(address, notice.message(database.now()));
    if (failure.isEmpty()) {
      under(
          claim,
          handle -> {
            notice.done(handle);
            NoticeFailureDao.delivered(handle, target.hash());
          });
      return Optional.empty();
    }
    String reason = failure.get().reason();
    Instant now = database.now();
    Instant next = next(notice, now);
    failed(claim, notice, target, reason, next);
    return failure.get().ofAddress()
        ? Optional.of(new SharedTry(notice, target, reason, now, next))
        : Optional.empty();
  }

  private void failed(
      Claim claim, OutgoingNotice notice, FailingTarget target, String failure, Instant next) {
    LOGGER.warn("the notice about {} could not be delivered: {}", notice.toldOf(), failure);
    under(
        claim,
        handle -> {
          if (givenUp(notice.tries())) {
            notice.done(handle);
            NoticeFailureDao.failed(handle, target, notice.toldOf(), failure, time.now(handle));
          } else {
            notice.failed(handle, failure, next);
          }
        });
  }

  private static boolean givenUp(int earlierTries) {
    return earlierTries + 1 >= MAX_TRIES;
  }

  /**
   * Lets all notices that are due at a failing address share the try of one: each alone would take
   * the time of a try, and others would wait for it.
   */
  private void failedTogether(Claim claim, SharedTry failed) {
    boolean ofOperators = failed.notice().destination().ofOperators();
    List<NoticeTable> tables = ofOperators ? List.of(problems) : List.of(ofJobs, ofTasksAndQueues);
    long sharing = 0;
    for (NoticeTable table : tables) {
      sharing += failedTogether(claim, table, failed);
    }
    if (sharing > 0) {
      LOGGER.warn("{} more notices to {} share this try", sharing, failed.target().shown());
    }
  }

  private long failedTogether(Claim claim, NoticeTable table, SharedTry failed) {
    Destination destination = failed.notice().destination();
    long sharing = 0;
    DuePosition after = DuePosition.START;
    for (int piece = 0; piece < MAX_PIECES; piece++) {
      List<OutgoingNotice> due = due(table, failed.now(), after);
      List<OutgoingNotice> same =
          due.stream().filter(notice -> notice.destination().equals(destination)).toList();
      if (!same.isEmpty()) {
        under(claim, handle -> share(handle, table, same, failed));
        sharing += same.size();
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

  // Compares the tries, because a notice may have been written again meanwhile.
  private void share(
      Handle handle, NoticeTable table, List<OutgoingNotice> same, SharedTry failed) {
    Map<Integer, List<Long>> byTries =
        same.stream()
            .collect(
                Collectors.groupingBy(
                    OutgoingNotice::tries,
                    Collectors.mapping(OutgoingNotice::id, Collectors.toList())));
    long givenUp = 0;
    for (Map.Entry<Integer, List<Long>> some : byTries.entrySet()) {
      int tries = some.getKey();
      if (givenUp(tries)) {
        givenUp += table.givenUpTogether(handle, some.getValue(), tries);
      } else {
        table.failedTogether(handle, some.getValue(), tries, failed.reason(), failed.next());
      }
    }
    if (givenUp > 0) {
      NoticeFailureDao.failed(
          handle,
          failed.target(),
          givenUp,
          failed.notice().toldOf(),
          failed.reason(),
          time.now(handle));
    }
  }

  private void under(Claim claim, Work work) {
    database.transaction(
        handle -> {
          if (claims.lock(handle, claim)) {
            work.with(handle);
          }
          return null;
        });
  }

  private static String shortened(String name) {
    return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
  }

  private static List<String> argv(String target) {
    try {
      return Json.mapper().readValue(target, TEXTS);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored command is not readable", e);
    }
  }

  private interface Work {
    void with(Handle handle);
  }

  /**
   * A try that failed because of its address.
   *
   * @param notice that was tried
   * @param target its address as operators are shown it
   * @param reason why it failed
   * @param now when it failed, by the database's clock
   * @param next when those with tries left are due
   */
  private record SharedTry(
      OutgoingNotice notice, FailingTarget target, String reason, Instant now, Instant next) {}
}
