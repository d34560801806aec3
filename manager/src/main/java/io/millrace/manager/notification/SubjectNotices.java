package io.millrace.manager.notification;

import io.millrace.api.Json;
import io.millrace.api.MessageText;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.notification.OutgoingNotice.LoadedNotice;
import io.millrace.manager.notification.OutgoingNotice.NoticeTable;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectNoticeDao.SubjectNotice;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** The due notices about subjects of some kinds. */
final class SubjectNotices implements NoticeTable {
  private final JobLedger ledger;
  private final Set<NoticeSubject> about;

  SubjectNotices(JobLedger ledger, Set<NoticeSubject> about) {
    this.ledger = ledger;
    this.about = about;
  }

  @Override
  public List<OutgoingNotice> due(Handle handle, Instant now, DuePosition after, int limit) {
    return SubjectNoticeDao.due(handle, about, now, after, limit).stream()
        .<OutgoingNotice>map(OfSubject::new)
        .toList();
  }

  @Override
  public void postpone(
      Handle handle, List<Long> ids, Instant dueAt, int tries, String failure, Instant next) {
    SubjectNoticeDao.postpone(handle, ids, dueAt, tries, failure, next);
  }

  @Override
  public int end(Handle handle, List<Long> ids, Instant dueAt) {
    return SubjectNoticeDao.end(handle, ids, dueAt);
  }

  /** Its message is in its own row, so it is always loaded. */
  private final class OfSubject implements OutgoingNotice, LoadedNotice {
    private final SubjectNotice notice;

    OfSubject(SubjectNotice notice) {
      this.notice = notice;
    }

    @Override
    public NoticeTable table() {
      return SubjectNotices.this;
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
      return new Destination(
          notice.kind(), notice.target(), notice.about() == NoticeSubject.PROBLEM);
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
    public Optional<LoadedNotice> load() {
      return Optional.of(this);
    }

    @Override
    public void drop(Handle handle) {
      end(handle);
    }

    @Override
    public String name() {
      return notice.subject();
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
  }
}
