package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.javalin.http.sse.SseClient;
import io.javalin.http.sse.SseHandler;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends events to many browsers. Each has a small queue and a thread of its own, so that a slow one
 * loses its oldest events and holds nobody up; a silent stream gets a comment every ten seconds, by
 * which a gone browser is noticed. Thread-safe.
 */
public final class SseHub implements Service {
  private static final int MOST_CLIENTS = 100;
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private final Set<SseSubscriber> subscribers = ConcurrentHashMap.newKeySet();
  private final Map<String, String> last = new ConcurrentHashMap<>();
  private volatile boolean stopped;

  /** What answers the stream's route. */
  public Handler handler() {
    SseHandler stream = new SseHandler(this::join);
    return ctx -> {
      if (stopped || subscribers.size() >= MOST_CLIENTS) {
        throw new MillraceException(
            ErrorCode.UNAVAILABLE, "too many pages follow this server; close some, or try later");
      }
      ctx.header("X-Accel-Buffering", "no");
      stream.handle(ctx);
    };
  }

  /** Whether anybody listens: nothing need be computed for nobody. */
  public boolean idle() {
    return subscribers.isEmpty();
  }

  /** Sends an event to all, unless it is the same as the topic's last. Never blocks. */
  public void broadcast(String topic, String json) {
    if (!json.equals(last.put(topic, json))) {
      subscribers.forEach(subscriber -> subscriber.offer(topic, json));
    }
  }

  private void join(SseClient client) {
    client.keepAlive();
    SseSubscriber subscriber = new SseSubscriber(client, HEARTBEAT, subscribers::remove);
    subscribers.add(subscriber);
    last.forEach(subscriber::offer);
    subscriber.start();
  }

  @Override
  public void start() {}

  @Override
  public void stop() {
    stopped = true;
    subscribers.forEach(SseSubscriber::stop);
  }
}
