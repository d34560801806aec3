package io.millrace.manager.notification;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.notification.FailedTries.FailedTry;
import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.NotificationDao.Notice;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.manager.notification.OutgoingNotice.Destination;
import io.millrace.manager.notification.OutgoingNotice.LoadedNotice;
import io.millrace.manager.notification.OutgoingNotice.NoticeTable;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.WebhookPost.PostFailure;
import io.millrace.manager.notification.WebhookPost.PostFailure.Cause;
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
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers due notices: commands once, as jobs of the same owner and user, and web requests at
 * least once, with the same id for each try ({@link FailedTries}). Runs as a claimed duty, on one
 * thread; blocks.
 */
public final class NotificationDelivery {
  private static final Logger LOGGER = LoggerFactory.getLogger(NotificationDelivery.class);
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  // At most eight deliveries in a run, each limited to WebhookPost.TIMEOUT, end well within the
  // claim. Those of jobs have a share of their own, so that neither delays the others for long.
  private static final int MAX_OF_JOBS = 4;
  // Problems take theirs from the share of tasks and queues, for which at least two are left.
  private static final int MAX_OF_SUBJECTS = 4;
  private static final int MAX_OF_PROBLEMS = 2;
  private static final Duration KEPT = Duration.ofDays(1);
  // As long as runs of tasks, whose notices must not be written again.
  private static final Duration SENT_KEPT = Duration.ofDays(30);
  private static final int LONGEST_NAME = 200;

  /** Most addresses and servers whose last turns are remembered; others go first. */
  private static final int MAX_TURNS = 1_000;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final WebhookPost outside;
  private final WebhookPost ofOperators;
  private final NotificationDao store = new NotificationDao();
  private final FailedTries failures;
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
    NoticeTable problems = new SubjectNotices(ledger, EnumSet.of(NoticeSubject.PROBLEM));
    NoticeTable ofJobs = new JobNotices(database, ledger);
    NoticeTable ofTasksAndQueues =
        new SubjectNotices(ledger, EnumSet.complementOf(EnumSet.of(NoticeSubject.PROBLEM)));
    this.failures = new FailedTries(database, List.of(ofJobs, ofTasksAndQueues), List.of(problems));
    this.dueProblems = new DueWindow(database, problems);
    this.dueOfJobs = new DueWindow(database, ofJobs);
    this.dueOfTasksAndQueues = new DueWindow(database, ofTasksAndQueues);
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    ClaimedTransactions transactions = new ClaimedTransactions(database, claims, claim);
    Set<Destination> silent = new HashSet<>();
    int ofProblems = deliverSome(transactions, dueProblems, MAX_OF_PROBLEMS, silent);
    deliverSome(transactions, dueOfJobs, MAX_OF_JOBS, silent);
    deliverSome(transactions, dueOfTasksAndQueues, MAX_OF_SUBJECTS - ofProblems, silent);
    // Also while some are due: a slow or unreachable address must not let the tables grow.
    transactions.run(this::deleteOld);
    transactions.run(this::deleteStarted);
  }

  /**
   * Delivers some of those that are due, but none to a server that gave no answer in this run.
   *
   * @param silent these servers, to which others are added
   * @return how many were chosen
   */
  private int deliverSome(
      ClaimedTransactions transactions, DueWindow due, int most, Set<Destination> silent) {
    List<OutgoingNotice> chosen =
        NoticeChoice.choose(
            due.next(database.now()),
            OutgoingNotice::destination,
            notice -> notice.destination().server(),
            destination -> turns.getOrDefault(destination, 0L),
            most);
    for (OutgoingNotice notice : chosen) {
      Destination server = notice.destination().server();
      if (!silent.contains(server)) {
        took(notice.destination());
        took(server);
        if (!deliver(transactions, notice)) {
          silent.add(server);
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
    NoticeFailureDao.deleteOld(handle, now.minus(NoticeFailureDao.KEPT), now.minus(SENT_KEPT));
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
   * @return false if its server gave no answer
   */
  private boolean deliver(ClaimedTransactions transactions, OutgoingNotice notice) {
    try {
      Optional<LoadedNotice> loaded = notice.load();
      if (loaded.isEmpty()) {
        transactions.run(notice::drop);
      } else if (notice.destination().kind() == NoticeKind.COMMAND) {
        command(transactions, notice, loaded.get());
      } else {
        return webhook(transactions, notice, loaded.get());
      }
    } catch (RuntimeException e) {
      LOGGER.error("the notice about {} cannot be sent", notice.toldOf(), e);
      failures.alone(
          transactions, new FailedTry(notice, notice.toldOf(), target(notice), reason(e)));
    }
    return true;
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

  private void command(
      ClaimedTransactions transactions, OutgoingNotice notice, LoadedNotice loaded) {
    List<String> argv = argv(notice.destination().target());
    FailingTarget target = FailingTarget.command(argv);
    try {
      transactions.run(
          handle -> {
            if (notice.end(handle)) {
              Instant now = time.now(handle);
              JobDraft draft =
                  JobDraft.command(argv)
                      .name(NoticeText.shortened("notify " + loaded.name(), LONGEST_NAME))
                      .env(loaded.variables(now));
              long job = loaded.submit(handle, draft);
              NoticeFailureDao.commanded(handle, job, target, loaded.toldOf(), now);
            }
          });
    } catch (MillraceException refused) {
      failures.alone(
          transactions, new FailedTry(notice, loaded.toldOf(), target, refused.getMessage()));
    }
  }

  private boolean webhook(
      ClaimedTransactions transactions, OutgoingNotice notice, LoadedNotice loaded) {
    Destination destination = notice.destination();
    FailingTarget target = WebhookPost.target(destination.target());
    WebhookPost post = destination.ofOperators() ? ofOperators : outside;
    Optional<PostFailure> failure = post.post(destination.target(), loaded.message(database.now()));
    if (failure.isEmpty()) {
      failures.answered(destination.server());
      transactions.run(
          handle -> {
            notice.end(handle);
            NoticeFailureDao.delivered(handle, target.hash());
          });
      return true;
    }
    FailedTry failed = new FailedTry(notice, loaded.toldOf(), target, failure.get().reason());
    if (failure.get().cause() == Cause.NO_ANSWER) {
      failures.unanswered(transactions, failed);
      return false;
    }
    if (failure.get().cause() == Cause.ANSWER) {
      failures.answered(destination.server());
    }
    failures.alone(transactions, failed);
    return true;
  }

  private static List<String> argv(String target) {
    try {
      return Json.mapper().readValue(target, TEXTS);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored command is not readable", e);
    }
  }

  /** Transactions that do nothing once the claim is lost. */
  record ClaimedTransactions(Database database, ClaimDao claims, Claim claim) {
    void run(Consumer<Handle> work) {
      database.transaction(
          handle -> {
            if (claims.lock(handle, claim)) {
              work.accept(handle);
            }
            return null;
          });
    }
  }
}
