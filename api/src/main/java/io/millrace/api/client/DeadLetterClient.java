package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.insight.FailureGroups;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * The dead letters of queues, typed. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class DeadLetterClient {
  private final ApiClient api;

  DeadLetterClient(ApiClient api) {
    this.api = api;
  }

  /**
   * Dead letters of all segments, newest first.
   *
   * @param before where the part before ended; null for the beginning
   */
  public Listing<DeadEvent> list(String queue, int limit, String before) {
    String uri = path("/v1/queues/%s/dead?limit=%s", queue, limit);
    uri += before == null ? "" : path("&before=%s", before);
    return Listing.of(api.get(uri), DeadEvent[].class);
  }

  /** Requeues dead letters and resets their failure count. */
  public QueueActionAnswer requeue(String queue, DeadSelection selection) {
    return api.post(path("/v1/queues/%s/dead/requeue", queue), selection)
        .as(QueueActionAnswer.class);
  }

  /**
   * Requeues a dead letter with other data; CONFLICT if there is none of that handle any more.
   *
   * @param data JSON
   */
  public ChangedDeadEvent requeueChanged(String queue, String handle, String data) {
    // An envelope is one line.
    String envelope = "{\"data\":" + data.replace('\n', ' ').replace('\r', ' ') + "}";
    URI uri = URI.create(path("/v1/queues/%s/dead/requeue-changed?handle=%s", queue, handle));
    byte[] body = envelope.getBytes(StandardCharsets.UTF_8);
    return api.send(HttpCall.post(uri, EventMedia.ENVELOPES, body)).as(ChangedDeadEvent.class);
  }

  /** Deletes dead letters. */
  public QueueActionAnswer drop(String queue, DeadSelection selection) {
    return api.post(path("/v1/queues/%s/dead/drop", queue), selection).as(QueueActionAnswer.class);
  }

  /** The dead letters of a queue by cause. */
  public FailureGroups groups(String queue) {
    return api.get(path("/v1/queues/%s/dead/groups", queue)).as(FailureGroups.class);
  }
}
