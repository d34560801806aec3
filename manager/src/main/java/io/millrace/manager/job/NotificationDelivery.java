package io.millrace.manager.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Notification.Occasion;
import io.millrace.manager.job.NotificationDao.Notice;
import io.millrace.manager.job.NotificationDao.Notice.NoticeKind;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.http.OutsideCalls;
import io.millrace.platform.http.OutsideCalls.RefusedAddressException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers due notices: commands once, as jobs of the same owner and user, and web requests at
 * least once, with three tries. Runs as a claimed duty, on one thread.
 */
public final class NotificationDelivery {
  private static final Logger LOGGER = LoggerFactory.getLogger(NotificationDelivery.class);
  private static final long MAX_ANSWER = 64L << 10;
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  private static final Set<JobState> NOT_STARTED =
      EnumSet.of(JobState.BLOCKED, JobState.HELD, JobState.WAITING);
  // That many deliveries, each limited to TIMEOUT, end well within the claim.
  private static final int MAX = 5;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_TRIES = 3;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
  private static final Duration KEPT = Duration.ofDays(1);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final JobLedger ledger;
  private final OutsideCalls outside;
  private final NotificationDao store = new NotificationDao();
  private final JobReadDao jobs = new JobReadDao();
  // Only touched by the duty's thread.
  private Instant checkedUpTo = Instant.EPOCH;

  /**
   * Creates a delivery.
   *
   * @param outside sends requests to web addresses
   */
  public NotificationDelivery(
      Database database, ClaimDao claims, JobLedger ledger, OutsideCalls outside) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.ledger = ledger;
    this.outside = outside;
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    List<Notice> due = database.read(handle -> store.due(handle, time.now(handle), MAX));
    for (Notice notice : due) {
      Optional<JobView> job =
          database
              .read(handle -> jobs.view(handle, notice.job()))
              .filter(view -> relevant(notice, view));
      if (job.isEmpty()) {
        under(claim, handle -> store.delete(handle, notice.id()));
      } else if (notice.kind() == NoticeKind.COMMAND) {
        command(claim, notice, job.get());
      } else {
        webhook(claim, notice, job.get());
      }
    }
    // Also while some are due: a slow or unreachable address must not let the table grow.
    under(claim, handle -> store.deleteOld(handle, time.now(handle).minus(KEPT)));
    under(claim, this::deleteStarted);
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

  // A job that has started or ended is no longer late.
  private static boolean relevant(Notice notice, JobView job) {
    return notice.occasion() != Occasion.LATE || NOT_STARTED.contains(job.state());
  }

  private void command(Claim claim, Notice notice, JobView job) {
    try {
      under(
          claim,
          handle -> {
            if (store.isDue(handle, notice)) {
              done(handle, notice);
              Message message = Message.of(notice.occasion(), job, time.now(handle));
              JobSpec spec =
                  JobDraft.command(argv(notice))
                      .name("notify " + job.name())
                      .runAs(userOf(handle, notice))
                      .env(message.variables())
                      .spec();
              ledger.submit(handle, JobKind.SUBMITTED, job.owner(), List.of(spec));
            }
          });
    } catch (MillraceException refused) {
      failed(claim, notice, refused.getMessage());
    }
  }

  // A command that a user's job brings along gets no more rights than the job.
  private String userOf(Handle handle, Notice notice) {
    return jobs.spec(handle, notice.job()).map(JobSpec::runAs).orElse(null);
  }

  private void webhook(Claim claim, Notice notice, JobView job) {
    Optional<String> failure = post(notice, job);
    if (failure.isEmpty()) {
      under(claim, handle -> done(handle, notice));
    } else {
      failed(claim, notice, failure.get());
    }
  }

  private Optional<String> post(Notice notice, JobView job) {
    try {
      URI address = URI.create(notice.target());
      Message message = Message.of(notice.occasion(), job, database.now());
      HttpAnswer answer =
          outside.send(HttpCall.post(address, message).within(TIMEOUT).answeredWithin(MAX_ANSWER));
      boolean taken = answer.status() >= 200 && answer.status() < 300;
      return taken
          ? Optional.empty()
          : Optional.of(notice.target() + " answered with status " + answer.status());
    } catch (RefusedAddressException e) {
      return Optional.of(e.getMessage());
    } catch (AnswerTooLargeException e) {
      return Optional.of(
          notice.target() + " answered with more than " + MAX_ANSWER + " bytes; answer briefly");
    } catch (IOException e) {
      return Optional.of(notice.target() + " did not answer: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return Optional.of("'" + notice.target() + "' is not a valid URL");
    }
  }

  private void done(Handle handle, Notice notice) {
    if (notice.occasion() == Occasion.LATE) {
      store.delivered(handle, notice.id());
    } else {
      store.delete(handle, notice.id());
    }
  }

  private void failed(Claim claim, Notice notice, String failure) {
    boolean givenUp = notice.tries() + 1 >= MAX_TRIES;
    Duration pause = FIRST_PAUSE.multipliedBy(1L << notice.tries());
    LOGGER.warn(
        "notice {} of job {} could not be delivered: {}", notice.occasion(), notice.job(), failure);
    under(
        claim,
        handle -> {
          Instant now = time.now(handle);
          store.failed(handle, notice, failure, givenUp ? now : now.plus(pause), givenUp);
        });
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

  private static List<String> argv(Notice notice) {
    try {
      return Json.mapper().readValue(notice.target(), TEXTS);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored command is not readable", e);
    }
  }

  private interface Work {
    void with(Handle handle);
  }

  /**
   * The content of a notice, as JSON for a web address and as MILLRACE_NOTIFY_… variables for a
   * command. Pure.
   *
   * @param occasion what happened
   * @param job the job's id
   * @param name its name
   * @param owner its owner
   * @param state its current state
   * @param reason human-readable reason; null if there is none
   * @param at time of the delivery, by the database's clock
   */
  private record Message(
      Occasion occasion,
      long job,
      String name,
      String owner,
      String state,
      String reason,
      Instant at) {
    static Message of(Occasion occasion, JobView job, Instant now) {
      return new Message(
          occasion, job.id(), job.name(), job.owner(), job.state().name(), job.reason(), now);
    }

    Map<String, String> variables() {
      Map<String, String> variables = new LinkedHashMap<>();
      variables.put("MILLRACE_NOTIFY_OCCASION", occasion.name());
      variables.put("MILLRACE_NOTIFY_JOB", Long.toString(job));
      variables.put("MILLRACE_NOTIFY_NAME", name);
      variables.put("MILLRACE_NOTIFY_OWNER", owner);
      variables.put("MILLRACE_NOTIFY_STATE", state);
      variables.put("MILLRACE_NOTIFY_REASON", reason == null ? "" : reason);
      variables.put("MILLRACE_NOTIFY_AT", at.toString());
      return variables;
    }
  }
}
