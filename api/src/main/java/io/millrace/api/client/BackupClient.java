package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.StoredEvent.StoreSummary;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.api.queue.QueueNodeView;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * The calls of a backup, for administrators. Thread-safe; every call blocks and throws a {@link
 * io.millrace.api.MillraceException} if it fails.
 */
public final class BackupClient {
  /** A large database is copied before the first byte arrives. */
  private static final Duration FIRST_BYTE = Duration.ofHours(1);

  private final ApiClient api;

  public BackupClient(ApiClient api) {
    this.api = api;
  }

  /** The queue nodes, by name. */
  public List<QueueNodeView> queueNodes() {
    return List.of(api.get("/v1/queue-nodes").as(QueueNodeView[].class));
  }

  /** A copy of the central database, compressed with gzip. */
  public InputStream central() {
    return api.stream(HttpCall.get(URI.create("/v1/backup/central")).within(FIRST_BYTE));
  }

  /** What the store of a queue node holds. */
  public StoreSummary store(String node) {
    return api.get(path("/v1/backup/stores/%s", node)).as(StoreSummary.class);
  }

  /** Events of a queue in the store of a node, with numbers above the one and up to the other. */
  public StoredEvents events(String node, String queue, long after, long upTo) {
    return api.get(path("/v1/backup/stores/%s/%s?after=%s&upTo=%s", node, queue, after, upTo))
        .as(StoredEvents.class);
  }
}
