package io.millrace.manager.dispatch;

import io.millrace.platform.database.Dialect;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code hint}: wake-ups for other central managers. Stateless. */
public final class WakeUpDao {
  /**
   * What a central manager sent.
   *
   * @param id rising, though a row may become visible after one with a higher id
   * @param words wake-ups separated by commas; empty for a mere heartbeat
   */
  public record Sent(long id, String words) {}

  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final int MAX = 1000;

  private final String insert;
  private final String deleteOld;

  public WakeUpDao(Dialect dialect) {
    this.insert =
        """
        insert into hint (sender, words, sent_at)
        values (:sender, :words, %s)
        """
            .formatted(dialect.now());
    this.deleteOld =
        """
        delete from hint
        where sent_at < %s
        """
            .formatted(dialect.nowPlusMicros("-" + KEPT.toMillis() * 1000));
  }

  public void insert(Handle handle, String sender, String words) {
    handle.createUpdate(insert).bind("sender", sender).bind("words", words).execute();
  }

  /** What other central managers sent after that id, oldest first. */
  public List<Sent> after(Handle handle, long id, String self) {
    return handle
        .createQuery(
            """
            select id, words
            from hint
            where id > :id and sender <> :self
            order by id
            limit :limit
            """)
        .bind("id", id)
        .bind("self", self)
        .bind("limit", MAX)
        .map(ConstructorMapper.of(Sent.class))
        .list();
  }

  /** The highest id; 0 for none. */
  public long last(Handle handle) {
    return handle.createQuery("select coalesce(max(id), 0) from hint").mapTo(Long.class).one();
  }

  /** Deletes rows that every running central manager has read. */
  public void deleteOld(Handle handle) {
    handle.createUpdate(deleteOld).execute();
  }
}
