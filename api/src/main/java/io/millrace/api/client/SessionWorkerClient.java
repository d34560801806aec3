package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;

/**
 * The calls of one session worker to one queue node (M-05..M-07, M-12); programs use {@link
 * SessionConsumer}. Every method blocks, and throws a {@link io.millrace.api.MillraceException}
 * with the node's problem, such as UNKNOWN_WORKER, or UNREACHABLE. Thread-safe.
 */
public final class SessionWorkerClient {
  private static final long LARGEST_ANSWER = 256L << 20;

  private final ApiClient api;
  private final String queue;
  private final UUID worker;

  /**
   * The calls of a worker.
   *
   * @param api reaches the queue node and no other server
   * @param worker chosen by the worker, the same at all queue nodes
   */
  public SessionWorkerClient(ApiClient api, String queue, UUID worker) {
    this.api = api;
    this.queue = queue;
    this.worker = worker;
  }

  /**
   * Registers the worker; sent again until it is answered.
   *
   * @param within how long to wait for the answer
   */
  public WorkerRegistered register(WorkerRegistration registration, Duration within) {
    URI uri = URI.create(path("/v1/queues/%s/session-workers/%s", queue, worker));
    return api.send(HttpCall.put(uri, registration).within(within)).as(WorkerRegistered.class);
  }

  /**
   * Reports results and asks for events. A poll without an answer is sent again unchanged.
   *
   * @param within how long to wait for the answer, besides the poll's patience
   */
  public PollAnswered poll(SessionPoll poll, Duration within) {
    URI uri = URI.create(path("/v1/queues/%s/session-workers/%s/polls", queue, worker));
    Duration patience = poll.patience() == null ? Duration.ZERO : poll.patience();
    HttpCall call =
        HttpCall.post(uri, poll).within(patience.plus(within)).answeredWithin(LARGEST_ANSWER);
    return api.send(call).as(PollAnswered.class);
  }

  /** Leaves: the worker's sessions go to others, whole and in order. */
  public void leave(UUID incarnation, Duration within) {
    URI uri =
        URI.create(
            path("/v1/queues/%s/session-workers/%s?incarnation=%s", queue, worker, incarnation));
    api.send(HttpCall.delete(uri).within(within));
  }
}
