package io.millrace.manager.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Pauses and resumes queues. Thread-safe; every method blocks on the database. */
public final class QueueControls {
  private static final int LONGEST_REASON = 1_000;

  private final Database database;
  private final DatabaseTime time;
  private final QueueDefinitions definitions;

  public QueueControls(Database database, QueueDefinitions definitions) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
  }

  /** Queues with something paused, by name. */
  public List<QueueControl> all() {
    return database.read(ControlDao::all);
  }

  /** What is paused of a queue; empty if nothing is. */
  public Optional<QueueControl> find(String queue) {
    return database.read(handle -> ControlDao.find(handle, queue));
  }

  /** Pauses sending or consuming, or both; what was paused before stays paused. */
  public QueueControl pause(String queue, PauseRequest request, String actor) {
    return change(
        queue,
        request,
        actor,
        before ->
            new Paused(
                before.sendingPaused() || request.sending(),
                before.consumingPaused() || request.consuming()));
  }

  /** Resumes sending or consuming, or both; the rest stays as it was. */
  public QueueControl resume(String queue, PauseRequest request, String actor) {
    return change(
        queue,
        request,
        actor,
        before ->
            new Paused(
                before.sendingPaused() && !request.sending(),
                before.consumingPaused() && !request.consuming()));
  }

  private record Paused(boolean sending, boolean consuming) {}

  private QueueControl change(
      String queue, PauseRequest request, String actor, Function<QueueControl, Paused> rule) {
    check(queue, request);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          QueueControl nothing = new QueueControl(queue, false, false, actor, now, null);
          QueueControl before = ControlDao.lock(handle, nothing);
          Paused paused = rule.apply(before);
          String reason = request.reason() == null ? before.reason() : request.reason();
          QueueControl control =
              new QueueControl(queue, paused.sending(), paused.consuming(), actor, now, reason);
          if (control.paused()) {
            ControlDao.put(handle, control);
            if ((paused.sending() && !before.sendingPaused())
                || (paused.consuming() && !before.consumingPaused())) {
              definitions
                  .find(handle, queue)
                  .ifPresent(
                      found -> QueueNotices.paused(handle, found.definition(), control, now));
            }
          } else {
            ControlDao.remove(handle, queue);
          }
          return control;
        });
  }

  private void check(String queue, PauseRequest request) {
    definitions.require(queue);
    if (!request.sending() && !request.consuming()) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "set sending, consuming or both");
    }
    if (request.reason() != null && request.reason().length() > LONGEST_REASON) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a reason may have at most %d characters".formatted(LONGEST_REASON));
    }
  }
}
