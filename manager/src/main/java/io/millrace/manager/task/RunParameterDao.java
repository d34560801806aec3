package io.millrace.manager.task;

import io.millrace.api.Json;
import io.millrace.api.task.RunParameters;
import java.util.Collection;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Rows of {@code run_parameter}. Stateless; runs in the caller's transaction. */
final class RunParameterDao {
  private RunParameterDao() {}

  static void insert(Handle handle, long run, RunParameters parameters) {
    handle
        .createUpdate(
            """
            insert into run_parameter (run_id, body)
            values (:run, :body)
            """)
        .bind("run", run)
        .bind("body", Json.write(parameters))
        .execute();
  }

  /** Those of a run; empty if it has none. */
  static Optional<RunParameters> find(Handle handle, long run) {
    return handle
        .createQuery("select body from run_parameter where run_id = :run")
        .bind("run", run)
        .mapTo(String.class)
        .findOne()
        .map(body -> Json.read(body, RunParameters.class));
  }

  /** Deletes those of these runs. */
  static void delete(Handle handle, Collection<Long> runs) {
    handle
        .createUpdate("delete from run_parameter where run_id in (<ids>)")
        .bindList("ids", runs)
        .execute();
  }
}
