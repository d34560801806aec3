package io.millrace.manager.dispatch;

import io.millrace.platform.database.Dialect;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The table {@code hint}. Stateless. */
public final class WakeUpDao {
  /**
   * What a central manager said.
   *
   * @param id rising, though one may appear after a later one
   * @param words separated by commas; empty for a sign of life
   */
  public record Hint(long id, String words) {}

  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final int MOST = 1000;

  private final String now;
  private final String old;

  public WakeUpDao(Dialect dialect) {
    this.now = dialect.now();
    this.old = dialect.nowPlusMicros("-" + KEPT.toMillis() * 1000);
  }

  public void insert(Handle handle, String sender, String words) {
    handle
        .createUpdate(
            "insert into hint (sender, words, sent_at) values (:sender, :words, " + now + ")")
        .bind("sender", sender)
        .bind("words", words)
        .execute();
  }

  /** What others said after that, oldest first. */
  public List<Hint> after(Handle handle, long id, String self) {
    return handle
        .createQuery(
            "select id, words from hint where id > :id and sender <> :self order by id limit "
                + MOST)
        .bind("id", id)
        .bind("self", self)
        .map((row, context) -> new Hint(row.getLong("id"), row.getString("words")))
        .list();
  }

  /** The last of all; 0 for none. */
  public long last(Handle handle) {
    return handle.createQuery("select coalesce(max(id), 0) from hint").mapTo(Long.class).one();
  }

  /** Deletes what nobody needs any more. */
  public void deleteOld(Handle handle) {
    handle.createUpdate("delete from hint where sent_at < " + old).execute();
  }
}
