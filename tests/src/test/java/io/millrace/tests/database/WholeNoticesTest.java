package io.millrace.tests.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.backup.CopiedTables;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import io.millrace.platform.database.Database;
import io.millrace.tests.server.SqlSchema;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Notices on a real server, which shortens values that are too long if it is told to ignore. */
class WholeNoticesTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @Test
  void aNoticeIsWrittenOnceAndWholeOrNotAtAll() {
    try (Database database = Database.open(SCHEMA.settings(), CopiedTables.MODULES)) {
      write(database, "https://example.org/" + "x".repeat(3_980));
      write(database, "https://example.org/" + "x".repeat(3_980));
      assertThat(count(database)).isEqualTo(1);
      assertThatThrownBy(() -> write(database, "https://example.com/" + "x".repeat(3_981)))
          .isInstanceOf(RuntimeException.class);
      assertThat(count(database)).isEqualTo(1);
    }
  }

  private static void write(Database database, String target) {
    NoticeText text = NoticeText.ofTask("FAILED", "nightly", 7L, "exit code 3", 1, null);
    NoticeTarget to = new NoticeTarget(List.of(), target, "task:nightly", null, null);
    database.transaction(
        handle -> {
          SubjectOutbox.write(handle, NoticeSubject.TASK, text, target.length(), to, Instant.EPOCH);
          return null;
        });
  }

  private static int count(Database database) {
    return database.read(
        handle ->
            handle.createQuery("select count(*) from subject_notice").mapTo(Integer.class).one());
  }
}
