package io.millrace.manager.job;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Changes the arrays' own jobs, which have no attempts, as no other job is changed; each with the
 * state that is expected. Stateless.
 */
public final class ArrayParentDao {
  /**
   * What elements are made from.
   *
   * @param owner who submitted the array
   * @param spec as submitted
   */
  public record Template(String owner, JobSpec spec) {}

  public Map<Long, Template> templates(Handle handle, Collection<Long> arrays) {
    Map<Long, Template> templates = new HashMap<>();
    if (!arrays.isEmpty()) {
      handle
          .createQuery("select id, owner, spec from job where id in (<ids>)")
          .bindList("ids", List.copyOf(arrays))
          .map(
              (row, context) ->
                  Map.entry(
                      row.getLong("id"),
                      new Template(
                          row.getString("owner"), Json.read(row.getString("spec"), JobSpec.class))))
          .forEach(entry -> templates.put(entry.getKey(), entry.getValue()));
    }
    return templates;
  }

  /** The first element has started. */
  public void start(Handle handle, JobFacts array, Instant now) {
    handle
        .createUpdate(
            """
            update job
            set state = 'RUNNING', started_at = :now, reason = null
            where id = :id and state = 'WAITING'
            """)
        .bind("now", now)
        .bind("id", array.id())
        .execute();
  }

  /** Somebody or something wants it to end as soon as its elements have. */
  public void askEnd(Handle handle, JobFacts array, String words) {
    handle
        .createUpdate(
            """
            update job
            set cancel_reason = :words, reason = :words, held = false, hold_reason = null
            where id = :id and state = :state
            """)
        .bind("words", words)
        .bind("id", array.id())
        .bind("state", array.state().name())
        .execute();
  }

  /** No further elements of a running array are to start, or they are again. */
  public void hold(Handle handle, JobFacts array, boolean held, String words) {
    handle
        .createUpdate(
            """
            update job
            set held = :held, hold_reason = :words, reason = :words
            where id = :id and state = 'RUNNING'
            """)
        .bind("held", held)
        .bind("words", held ? words : null)
        .bind("id", array.id())
        .execute();
  }

  /** An ended array has an element again that has not ended. */
  public void revive(Handle handle, JobFacts array) {
    handle
        .createUpdate(
            """
            update job
            set state = :waiting, reason = null, cancel_reason = null, ended_at = null
            where id = :id and state = :state
            """)
        .bind("waiting", JobState.WAITING.name())
        .bind("id", array.id())
        .bind("state", array.state().name())
        .execute();
  }
}
