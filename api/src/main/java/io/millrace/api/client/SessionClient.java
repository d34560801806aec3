package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.DrainedSlots;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerToken;
import io.millrace.api.session.SlotPage;
import io.millrace.api.task.RunStep;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;

/**
 * The central managers' API of sessions (M-14), typed. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class SessionClient {
  // The central manager waits for the queue node.
  private static final Duration PASSED_WITHIN = Duration.ofSeconds(40);

  private static final Duration TOKEN_WITHIN = Duration.ofSeconds(10);

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
  public Listing<SessionView> sessions(
      String queue, SessionState state, UUID worker, String after, int limit) {
    String uri = path("/v1/queues/%s/sessions?limit=%s", queue, limit);
    uri += state == null ? "" : path("&state=%s", state.name().toLowerCase(Locale.ROOT));
    uri += worker == null ? "" : path("&worker=%s", worker);
    uri += after == null ? "" : path("&after=%s", after);
    HttpAnswer answer = api.get(uri);
    SessionPage page = answer.as(SessionPage.class);
    return new Listing<>(page.sessions(), Listing.unreached(answer), page.next());
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
  public Listing<SessionWorkerView> sessionWorkers(String queue) {
    return Listing.of(
        api.get(path("/v1/queues/%s/session-workers", queue)), SessionWorkerView[].class);
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

  /**
   * A token for the session workers of a queue, for queue nodes only; may be asked for again at any
   * time.
   *
   * @param secret of the attempt that asks for its next token; null for a program outside
   */
  public SessionWorkerToken workerToken(String queue, String secret) {
    URI uri = URI.create(path("/v1/queues/%s/session-workers/token", queue));
    HttpCall call = HttpCall.post(uri, null).within(TOKEN_WITHIN);
    return api.send(secret == null ? call : call.with(RunStep.SECRET_HEADER, secret))
        .as(SessionWorkerToken.class);
  }

  /**
   * Passes a part of a slot, read from the disk of a lost node, to the slot's owner; may be
   * repeated. Once this returns, the owner has stored it.
   */
  public void rescued(String queue, SlotPage page) {
    URI uri = URI.create(path("/v1/queues/%s/slots/%s/parts", queue, page.slot()));
    api.send(HttpCall.post(uri, page).within(PASSED_WITHIN));
  }

  /** Notes that all events of slots have arrived that an earlier owner had; may be repeated. */
  public void drained(String queue, DrainedSlots slots) {
    api.post(path("/v1/queues/%s/slots/drained", queue), slots);
  }
}
