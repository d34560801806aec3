package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.session.DrainedSlots;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The central managers' API of sessions (M-14), typed. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class SessionClient {
  private final ApiClient api;

  SessionClient(ApiClient api) {
    this.api = api;
  }

  /**
   * Some sessions of a queue.
   *
   * @param state only those in this state; null for any but completed
   * @param worker only those of this worker; null for any
   * @param after the {@code next} of the page before; null for the first page
   */
  public SessionPage sessions(
      String queue, SessionState state, UUID worker, String after, int limit) {
    String uri = path("/v1/queues/%s/sessions?limit=%s", queue, limit);
    uri += state == null ? "" : path("&state=%s", state.name().toLowerCase(Locale.ROOT));
    uri += worker == null ? "" : path("&worker=%s", worker);
    uri += after == null ? "" : path("&after=%s", after);
    return api.get(uri).as(SessionPage.class);
  }

  /** A session with its events and what happened to it; UNKNOWN_SESSION. */
  public SessionDetails session(String queue, String key) {
    return api.get(path("/v1/queues/%s/session?key=%s", queue, key)).as(SessionDetails.class);
  }

  /** Moves, ends or removes a session; UNKNOWN_SESSION, CONFLICT if it has ended. */
  public SessionActed actOnSession(String queue, SessionCommand command) {
    return api.post(path("/v1/queues/%s/session-actions", queue), command).as(SessionActed.class);
  }

  /** The workers of a queue's sessions, each once for every queue node that it takes some from. */
  public List<SessionWorkerView> sessionWorkers(String queue) {
    return List.of(
        api.get(path("/v1/queues/%s/session-workers", queue)).as(SessionWorkerView[].class));
  }

  /**
   * Retires a worker: others get its sessions; UNKNOWN_WORKER.
   *
   * @param ask whether it is only asked to give back its sessions and to end
   * @param reason recorded with it; null for none
   */
  public void retireSessionWorker(String queue, UUID worker, boolean ask, String reason) {
    api.post(
        path("/v1/queues/%s/session-workers/%s/retirement", queue, worker),
        new RetirementRequest(ask, reason));
  }

  /** Notes that all events of slots have arrived that an earlier owner had; may be repeated. */
  public void drained(String queue, DrainedSlots slots) {
    api.post(path("/v1/queues/%s/slots/drained", queue), slots);
  }
}
