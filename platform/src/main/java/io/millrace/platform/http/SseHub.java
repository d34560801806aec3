package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.javalin.http.sse.SseClient;
import io.javalin.http.sse.SseHandler;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends events to many browsers. Each has a small queue and a thread, so that a slow one loses its
 * oldest events and does not delay the others; a silent stream gets a comment every ten seconds, by
 * which a disconnected browser is noticed. Thread-safe.
 */
public final class SseHub implements Service {
  private static final int MAX_CLIENTS = 100;
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private final Set<SseSubscriber> subscribers = ConcurrentHashMap.newKeySet();
  private final Map<String, String> last = new ConcurrentHashMap<>();
  private volatile boolean stopped;

  /** The handler of the stream's route. */
  public Handler handler() {
    SseHandler stream = new SseHandler(this::join);
    return ctx -> {
      if (stopped || subscribers.size() >= MAX_CLIENTS) {
        throw new MillraceException(
            ErrorCode.UNAVAILABLE, "too many open dashboard pages; close some, or try again later");
      }
      ctx.header("X-Accel-Buffering", "no");
      stream.handle(ctx);
    };
  }

  /** Whether there are listeners; without any, nothing needs to be computed. */
  public boolean idle() {
    return subscribers.isEmpty();
  }

  /** Sends an event to all, unless it equals the topic's last one. Never blocks. */
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

  /** One browser's stream: a bounded queue and the thread that writes it out. */
  private static final class SseSubscriber {
    private static final int MAX_WAITING = 16;

    private final SseClient client;
    private final Duration heartbeat;
    private final Consumer<SseSubscriber> gone;
    private final BlockingQueue<Event> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread writer = Threads.daemon("sse-writer", this::write);

    SseSubscriber(SseClient client, Duration heartbeat, Consumer<SseSubscriber> gone) {
      this.client = client;
      this.heartbeat = heartbeat;
      this.gone = gone;
    }

    void start() {
      client.onClose(writer::interrupt);
      writer.start();
    }

    void stop() {
      writer.interrupt();
    }

    /** Adds an event; drops the oldest if the queue is full. */
    void offer(String topic, String json) {
      Event event = new Event(topic, json);
      while (!waiting.offer(event)) {
        waiting.poll();
      }
    }

    private void write() {
      try {
        while (!client.terminated()) {
          Event event = waiting.poll(heartbeat.toMillis(), TimeUnit.MILLISECONDS);
          if (event == null) {
            client.sendComment("still here");
          } else {
            client.sendEvent(event.topic, event.json);
          }
        }
      } catch (InterruptedException e) {
        // The server stops, or the browser has disconnected: the stream ends below.
        Thread.currentThread().interrupt();
      } finally {
        gone.accept(this);
        client.close();
      }
    }

    private record Event(String topic, String json) {}
  }
}
