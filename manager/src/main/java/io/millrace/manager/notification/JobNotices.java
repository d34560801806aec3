package io.millrace.manager.notification;

import io.millrace.api.MessageText;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.notification.NotificationDao.Notice;
import io.millrace.manager.notification.OutgoingNotice.LoadedNotice;
import io.millrace.manager.notification.OutgoingNotice.NoticeTable;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** The due notices about jobs. */
final class JobNotices implements NoticeTable {
  private static final Set<JobState> NOT_STARTED =
      EnumSet.of(JobState.BLOCKED, JobState.HELD, JobState.WAITING);

  private final Database database;
  private final JobLedger ledger;
  private final NotificationDao store = new NotificationDao();
  private final JobReadDao jobs;

  JobNotices(Database database, JobLedger ledger) {
    this.database = database;
    this.jobs = new JobReadDao(database.dialect());
    this.ledger = ledger;
  }

  @Override
  public List<OutgoingNotice> due(Handle handle, Instant now, DuePosition after, int limit) {
    return store.due(handle, now, after, limit).stream().<OutgoingNotice>map(OfJob::new).toList();
  }

  @Override
  public void postpone(
      Handle handle, List<Long> ids, Instant dueAt, int tries, String failure, Instant next) {
    store.postpone(handle, ids, dueAt, tries, failure, next);
  }

  @Override
  public int end(Handle handle, List<Long> ids, Instant dueAt) {
    return store.end(handle, ids, dueAt);
  }

  private final class OfJob implements OutgoingNotice {
    private final Notice notice;

    OfJob(Notice notice) {
      this.notice = notice;
    }

    @Override
    public NoticeTable table() {
      return JobNotices.this;
    }

    @Override
    public long id() {
      return notice.id();
    }

    @Override
    public Instant dueAt() {
      return notice.dueAt();
    }

    @Override
    public int tries() {
      return notice.tries();
    }

    @Override
    public Destination destination() {
      return new Destination(notice.kind(), notice.target(), false);
    }

    @Override
    public String toldOf() {
      return "job %d, %s".formatted(notice.job(), MessageText.of(notice.occasion()));
    }

    // A job that has started or ended is no longer late.
    @Override
    public Optional<LoadedNotice> load() {
      return database
          .read(handle -> jobs.view(handle, notice.job()))
          .filter(job -> notice.occasion() != Occasion.LATE || NOT_STARTED.contains(job.state()))
          .map(job -> new Loaded(notice, job));
    }

    @Override
    public void drop(Handle handle) {
      store.delete(handle, notice);
    }
  }

  private final class Loaded implements LoadedNotice {
    private final Notice notice;
    private final JobView job;

    Loaded(Notice notice, JobView job) {
      this.notice = notice;
      this.job = job;
    }

    @Override
    public String toldOf() {
      return "job %d (%s), %s"
          .formatted(notice.job(), job.name(), MessageText.of(notice.occasion()));
    }

    @Override
    public String name() {
      return job.name();
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
