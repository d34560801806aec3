package io.millrace.manager.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Notification.Occasion;
import io.millrace.manager.job.NoticeDao.Notice;
import io.millrace.manager.job.NoticeDao.Notice.NoticeKind;
import io.millrace.manager.job.NotificationOutbox.NotificationSettings;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
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
 * Tells what is due: commands once, as jobs of the same owner, and web addresses at least once,
 * with three tries. Runs as a claimed duty, on one thread.
 */
public final class NoticeDelivery {
  private static final Logger LOGGER = LoggerFactory.getLogger(NoticeDelivery.class);
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  private static final Set<JobState> NOT_STARTED =
      EnumSet.of(JobState.BLOCKED, JobState.HELD, JobState.WAITING);
  // So many, each given so long, end well within the claim.
  private static final int MOST = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int MOST_TRIES = 3;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
  private static final Duration KEPT = Duration.ofDays(1);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final JobLedger ledger;
  private final HttpTransport transport;
  private final NotificationSettings settings;
  private final NoticeDao store = new NoticeDao();
  private final JobReadDao jobs = new JobReadDao();
  // Only touched by the duty's thread.
  private Instant lookedUpTo = Instant.EPOCH;

  /**
   * A delivery.
   *
   * @param transport posts to web addresses, and follows no redirect
   */
  public NoticeDelivery(
      Database database,
      ClaimDao claims,
      JobLedger ledger,
      HttpTransport transport,
      NotificationSettings settings) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.ledger = ledger;
    this.transport = transport;
    this.settings = settings;
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    List<Notice> due = database.read(handle -> store.due(handle, time.now(handle), MOST));
    for (Notice notice : due) {
      Optional<JobView> job =
          database
              .read(handle -> jobs.view(handle, notice.job()))
              .filter(view -> worth(notice, view));
      if (job.isEmpty()) {
        under(claim, handle -> store.delete(handle, notice.id()));
      } else if (notice.kind() == NoticeKind.COMMAND) {
        command(claim, notice, job.get());
      } else {
        webhook(claim, notice, job.get());
      }
    }
    // Also while some are due: an address that is slow or dead must not let the table grow.
    under(claim, handle -> store.forget(handle, time.now(handle).minus(KEPT)));
    under(claim, this::forgetStarted);
  }

  // Some at a time and round and round, so that only those stay told that still wait.
  private void forgetStarted(Handle handle) {
    List<Notice> told = store.told(handle, lookedUpTo);
    store.deleteStarted(handle, told.stream().map(Notice::id).toList());
    lookedUpTo =
        told.size() < NoticeDao.MOST
            ? Instant.EPOCH
            : told.get(told.size() - 1).dueAt().plusNanos(1_000);
  }

  // One that has started, or ended, is late no more.
  private static boolean worth(Notice notice, JobView job) {
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
                      .env(message.variables())
                      .spec();
              ledger.submit(handle, JobKind.SUBMITTED, job.owner(), List.of(spec));
            }
          });
    } catch (MillraceException refused) {
      failed(claim, notice, refused.getMessage());
    }
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
      Optional<String> refusal = WebhookAddress.refusal(address, settings.privateAddresses());
      if (refusal.isPresent()) {
        return refusal;
      }
      Message message = Message.of(notice.occasion(), job, database.now());
      HttpAnswer answer = transport.send(HttpCall.post(address, message).within(PATIENCE));
      boolean taken = answer.status() >= 200 && answer.status() < 300;
      return taken
          ? Optional.empty()
          : Optional.of(notice.target() + " answered with status " + answer.status());
    } catch (IOException e) {
      return Optional.of(notice.target() + " did not answer: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return Optional.of("'" + notice.target() + "' is no web address");
    }
  }

  private void done(Handle handle, Notice notice) {
    if (notice.occasion() == Occasion.LATE) {
      store.told(handle, notice.id());
    } else {
      store.delete(handle, notice.id());
    }
  }

  private void failed(Claim claim, Notice notice, String failure) {
    boolean givenUp = notice.tries() + 1 >= MOST_TRIES;
    Duration pause = FIRST_PAUSE.multipliedBy(1L << notice.tries());
    LOGGER.warn("{} of job {} can't be told: {}", notice.occasion(), notice.job(), failure);
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
      throw new IllegalStateException("a column that Millrace wrote is not readable", e);
    }
  }

  private interface Work {
    void with(Handle handle);
  }

  /**
   * What is told, as JSON to a web address and as MILLRACE_NOTIFY_… variables to a command. Pure.
   *
   * @param occasion what happened
   * @param job the job's id
   * @param name its name
   * @param owner whose it is
   * @param state its state by now
   * @param reason why, for people; null if plain
   * @param at when it is told, by the database's clock
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
