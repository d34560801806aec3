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
  private final JobReadDao jobs = new JobReadDao();

  JobNotices(Database database, JobLedger ledger) {
    this.database = database;
    this.ledger = ledger;
  }

  @Override
  public List<OutgoingNotice> due(Handle handle, Instant now, DuePosition after, int limit) {
    return store.due(handle, now, after, limit).stream().<OutgoingNotice>map(OfJob::new).toList();
  }

  @Override
  public void failedTogether(
      Handle handle, List<Long> ids, int tries, String failure, Instant next) {
    store.failedTogether(handle, ids, tries, failure, next);
  }

  @Override
  public int givenUpTogether(Handle handle, List<Long> ids, int tries) {
    return store.givenUpTogether(handle, ids, tries);
  }

  private final class OfJob implements OutgoingNotice {
    private final Notice notice;
    private JobView job;

    OfJob(Notice notice) {
      this.notice = notice;
    }

    @Override
    public long id() {
      return notice.id();
    }

    @Override
    public DuePosition position() {
      return new DuePosition(notice.dueAt(), notice.id());
    }

    @Override
    public Destination destination() {
      return new Destination(notice.kind(), notice.target(), false);
    }

    @Override
    public int tries() {
      return notice.tries();
    }

    @Override
    public String toldOf() {
      return job == null
          ? "job %d, %s".formatted(notice.job(), MessageText.of(notice.occasion()))
          : "job %d (%s), %s"
              .formatted(notice.job(), job.name(), MessageText.of(notice.occasion()));
    }

    // A job that has started or ended is no longer late.
    @Override
    public boolean load() {
      job = database.read(handle -> jobs.view(handle, notice.job())).orElse(null);
      return job != null
          && (notice.occasion() != Occasion.LATE || NOT_STARTED.contains(job.state()));
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
    public void drop(Handle handle) {
      store.delete(handle, notice.id());
    }

    @Override
    public void failed(Handle handle, String failure, Instant next) {
      store.failed(handle, notice, failure, next);
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
