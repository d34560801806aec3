package io.millrace.manager.notification;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.NotificationDao.Notice;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectNoticeDao.SubjectNotice;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.http.OutsideCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers due notices: commands once, as jobs of the same owner and user, and web requests at
 * least once, with three tries and the same id. Runs as a claimed duty, on one thread.
 */
public final class NotificationDelivery {
  private static final Logger LOGGER = LoggerFactory.getLogger(NotificationDelivery.class);
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  private static final Set<JobState> NOT_STARTED =
      EnumSet.of(JobState.BLOCKED, JobState.HELD, JobState.WAITING);
  // That many deliveries, each limited to WebhookPost.TIMEOUT, end well within the claim. Each
  // table has its share, so that neither delays the other for long.
  private static final int MAX_OF_JOBS = 4;
  private static final int MAX_OF_SUBJECTS = 4;
  private static final int MAX_TRIES = 3;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
  private static final Duration KEPT = Duration.ofDays(1);
  // As long as runs of tasks, whose notices must not be written again.
  private static final Duration SENT_KEPT = Duration.ofDays(30);
  // Occasions that are found by looking, and must not be written again.
  private static final Set<String> REPEATED =
      Stream.of(Occasion.LATE, Occasion.HUNG, Occasion.DEAD)
          .map(Occasion::name)
          .collect(Collectors.toUnmodifiableSet());
  private static final int LONGEST_NAME = 200;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final JobLedger ledger;
  private final WebhookPost outside;
  private final WebhookPost ofOperators;
  private final NotificationDao store = new NotificationDao();
  private final JobReadDao jobs = new JobReadDao();
  // Only touched by the duty's thread.
  private Instant checkedUpTo = Instant.EPOCH;

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
    this.ledger = ledger;
    this.outside = new WebhookPost(outside);
    this.ofOperators = new WebhookPost(ofOperators);
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    List<Notice> due = database.read(handle -> store.due(handle, time.now(handle), MAX_OF_JOBS));
    for (Notice notice : due) {
      Optional<JobView> job =
          database
              .read(handle -> jobs.view(handle, notice.job()))
              .filter(view -> relevant(notice, view));
      if (job.isEmpty()) {
        under(claim, handle -> store.delete(handle, notice.id()));
      } else {
        deliver(claim, new OfJob(notice, job.get()));
      }
    }
    List<SubjectNotice> further =
        database.read(handle -> SubjectNoticeDao.due(handle, time.now(handle), MAX_OF_SUBJECTS));
    further.forEach(notice -> deliver(claim, new OfSubject(notice)));
    // Also while some are due: a slow or unreachable address must not let the tables grow.
    under(claim, this::deleteOld);
    under(claim, this::deleteStarted);
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

  // A job that has started or ended is no longer late.
  private static boolean relevant(Notice notice, JobView job) {
    return notice.occasion() != Occasion.LATE || NOT_STARTED.contains(job.state());
  }

  /** Delivers one notice. Whatever is wrong with it holds up no other, and ends after its tries. */
  private void deliver(Claim claim, Outgoing notice) {
    try {
      if (notice.kind() == NoticeKind.COMMAND) {
        command(claim, notice);
      } else {
        webhook(claim, notice);
      }
    } catch (RuntimeException e) {
      LOGGER.error("the notice about {} cannot be sent", notice.toldOf(), e);
      failed(claim, notice, target(notice), reason(e));
    }
  }

  // As a later delivery knows it, so that its success ends the problem.
  private static FailingTarget target(Outgoing notice) {
    try {
      if (notice.kind() == NoticeKind.COMMAND) {
        return FailingTarget.command(argv(notice.target()));
      }
    } catch (RuntimeException unreadable) {
      LOGGER.debug("the target of the notice about {} is unreadable", notice.toldOf(), unreadable);
    }
    return FailingTarget.unknown(notice.kind(), notice.target());
  }

  private static String reason(RuntimeException failure) {
    return "it cannot be sent: "
        + (failure.getMessage() == null ? failure.toString() : failure.getMessage());
  }

  private void command(Claim claim, Outgoing notice) {
    List<String> argv = argv(notice.target());
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
      failed(claim, notice, target, refused.getMessage());
    }
  }

  private void webhook(Claim claim, Outgoing notice) {
    FailingTarget target =
        FailingTarget.webhook(notice.target(), WebhookPost.host(notice.target()));
    WebhookPost post = notice.ofOperators() ? ofOperators : outside;
    Optional<String> failure = post.post(notice.target(), notice.message(database.now()));
    if (failure.isPresent()) {
      failed(claim, notice, target, failure.get());
      return;
    }
    under(
        claim,
        handle -> {
          notice.done(handle);
          NoticeFailureDao.delivered(handle, target.hash());
        });
  }

  private void failed(Claim claim, Outgoing notice, FailingTarget target, String failure) {
    boolean givenUp = notice.tries() + 1 >= MAX_TRIES;
    Duration pause = FIRST_PAUSE.multipliedBy(1L << notice.tries());
    LOGGER.warn("the notice about {} could not be delivered: {}", notice.toldOf(), failure);
    under(
        claim,
        handle -> {
          Instant now = time.now(handle);
          if (givenUp) {
            notice.done(handle);
            NoticeFailureDao.failed(handle, target, notice.toldOf(), failure, now);
          } else {
            notice.failed(handle, failure, now.plus(pause));
          }
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

  /** A notice that is due, of whichever table. */
  private interface Outgoing {
    NoticeKind kind();

    String target();

    int tries();

    /** Of what it is about, for the name of the job of a command. */
    String name();

    /** What happened to what, for people. */
    String toldOf();

    boolean ofOperators();

    Object message(Instant now);

    Map<String, String> variables(Instant now);

    long submit(Handle handle, JobDraft draft);

    boolean lock(Handle handle);

    void done(Handle handle);

    void failed(Handle handle, String failure, Instant next);
  }

  private final class OfJob implements Outgoing {
    private final Notice notice;
    private final JobView job;

    OfJob(Notice notice, JobView job) {
      this.notice = notice;
      this.job = job;
    }

    @Override
    public NoticeKind kind() {
      return notice.kind();
    }

    @Override
    public String target() {
      return notice.target();
    }

    @Override
    public int tries() {
      return notice.tries();
    }

    @Override
    public String name() {
      return job.name();
    }

    @Override
    public String toldOf() {
      return "job %d (%s), %s"
          .formatted(notice.job(), job.name(), MessageText.of(notice.occasion()));
    }

    @Override
    public boolean ofOperators() {
      return false;
    }

    @Override
    public Message message(Instant now) {
      return Message.of(notice, job, now);
    }

    @Override
    public Map<String, String> variables(Instant now) {
      return message(now).variables();
    }

    // A command that a user's job brings along gets no more rights than the job.
    @Override
    public long submit(Handle handle, JobDraft draft) {
      Optional<JobSpec> spec = jobs.spec(handle, notice.job());
      JobSpec command = draft.runAs(spec.map(JobSpec::runAs).orElse(null)).spec();
      return ledger.submit(handle, JobKind.SUBMITTED, job.owner(), List.of(command)).get(0);
    }

    @Override
    public boolean lock(Handle handle) {
      return store.isDue(handle, notice);
    }

    @Override
    public void done(Handle handle) {
      if (notice.occasion() == Occasion.LATE) {
        store.delivered(handle, notice.id());
      } else {
        store.delete(handle, notice.id());
      }
    }

    @Override
    public void failed(Handle handle, String failure, Instant next) {
      store.failed(handle, notice, failure, next);
    }
  }

  private final class OfSubject implements Outgoing {
    private final SubjectNotice notice;

    OfSubject(SubjectNotice notice) {
      this.notice = notice;
    }

    @Override
    public NoticeKind kind() {
      return notice.kind();
    }

    @Override
    public String target() {
      return notice.target();
    }

    @Override
    public int tries() {
      return notice.tries();
    }

    @Override
    public String name() {
      return notice.subject();
    }

    @Override
    public String toldOf() {
      return "%s %s, %s"
          .formatted(
              MessageText.of(notice.about()),
              notice.subject(),
              notice.occasion().toLowerCase(Locale.ROOT).replace('_', ' '));
    }

    @Override
    public boolean ofOperators() {
      return notice.about() == NoticeSubject.PROBLEM;
    }

    @Override
    public NoticeText message(Instant now) {
      return Json.read(notice.content(), NoticeText.class)
          .sent("notice-" + notice.id(), notice.added(), now);
    }

    @Override
    public Map<String, String> variables(Instant now) {
      return message(now).variables();
    }

    @Override
    public long submit(Handle handle, JobDraft draft) {
      JobSpec command = draft.runAs(notice.runAs()).pool(notice.pool()).spec();
      return ledger.submit(handle, JobKind.SUBMITTED, notice.owner(), List.of(command)).get(0);
    }

    @Override
    public boolean lock(Handle handle) {
      return SubjectNoticeDao.lock(handle, notice);
    }

    @Override
    public void done(Handle handle) {
      if (REPEATED.contains(notice.occasion())) {
        SubjectNoticeDao.sent(handle, notice.id());
      } else {
        SubjectNoticeDao.delete(handle, notice.id());
      }
    }

    @Override
    public void failed(Handle handle, String failure, Instant next) {
      SubjectNoticeDao.failed(handle, notice, failure, next);
    }
  }

  /**
   * The content of a notice about a job, as JSON for a web address and as MILLRACE_NOTIFY_…
   * variables for a command. Pure.
   *
   * @param id the same each time that this notice is sent
   * @param occasion what happened
   * @param job the job's id
   * @param name its name
   * @param owner its owner
   * @param state its current state
   * @param reason human-readable reason; null if there is none
   * @param at time of the delivery, by the database's clock
   */
  private record Message(
      String id,
      Occasion occasion,
      long job,
      String name,
      String owner,
      String state,
      String reason,
      Instant at) {
    static Message of(Notice notice, JobView job, Instant now) {
      return new Message(
          "job-notice-" + notice.id(),
          notice.occasion(),
          job.id(),
          job.name(),
          job.owner(),
          job.state().name(),
          job.reason(),
          now);
    }

    Map<String, String> variables() {
      Map<String, String> variables = new LinkedHashMap<>();
      variables.put("MILLRACE_NOTIFY_ID", id);
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
