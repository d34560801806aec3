package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.javalin.http.sse.SseClient;
import io.javalin.http.sse.SseHandler;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Sends events to many browsers. Each has a small queue and a thread, so that a slow one loses its
 * oldest events and does not delay the others; a silent stream gets a comment every ten seconds, by
 * which a disconnected browser is noticed. A stream ends when the session or the token that opened
 * it does: this is checked before each event and at least once a second. Thread-safe.
 */
public final class SseHub implements Service {
  static final int MAX_CLIENTS = 100;

  /** Half, so that one caller leaves room for the others. */
  static final int MAX_OF_CALLER = 50;

  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private final Set<SseSubscriber> subscribers = ConcurrentHashMap.newKeySet();
  private final Map<String, String> last = new ConcurrentHashMap<>();
  private volatile boolean stopped;

  /** The handler of the stream's route. */
  public Handler handler() {
    SseHandler stream = new SseHandler(this::join);
    return ctx -> {
      // Refused here with a message; the limits themselves are enforced in join.
      if (stopped || isFull(Requests.principal(ctx))) {
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

  /** The open streams. */
  int size() {
    return subscribers.size();
  }

  /** Sends an event to all, unless it equals the topic's last one. Never blocks. */
  public void broadcast(String topic, String json) {
    if (!json.equals(last.put(topic, json))) {
      subscribers.forEach(subscriber -> subscriber.offer(topic, json));
    }
  }

  private void join(SseClient client) {
    client.keepAlive();
    SseSubscriber subscriber =
        new SseSubscriber(
            client,
            Requests.principal(client.ctx()),
            Requests.admission(client.ctx()),
            subscribers::remove);
    synchronized (this) {
      if (stopped || isFull(subscriber.caller)) {
        client.close();
        return;
      }
      subscribers.add(subscriber);
    }
    last.forEach(subscriber::offer);
    subscriber.start();
  }

  private boolean isFull(Principal caller) {
    return subscribers.size() >= MAX_CLIENTS
        || subscribers.stream().filter(one -> one.caller.equals(caller)).count() >= MAX_OF_CALLER;
  }

  @Override
  public void start() {}

  @Override
  public void stop() {
    synchronized (this) {
      stopped = true;
    }
    subscribers.forEach(SseSubscriber::stop);
  }

  /** One browser's stream: a bounded queue and the thread that writes it out. */
  private static final class SseSubscriber {
    private static final int MAX_WAITING = 16;
    private static final Duration CHECK = Duration.ofSeconds(1);

    private final SseClient client;
    private final Principal caller;
    private final BooleanSupplier admitted;
    private final Consumer<SseSubscriber> gone;
    private final BlockingQueue<Event> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread writer = Threads.daemon("sse-writer", this::write);

    SseSubscriber(
        SseClient client,
        Principal caller,
        BooleanSupplier admitted,
        Consumer<SseSubscriber> gone) {
      this.client = client;
      this.caller = caller;
      this.admitted = admitted;
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
        Duration silent = Duration.ZERO;
        while (!client.terminated()) {
          Event event = waiting.poll(CHECK.toMillis(), TimeUnit.MILLISECONDS);
          if (!admitted.getAsBoolean()) {
            return;
          }
          if (event != null) {
            client.sendEvent(event.topic, event.json);
            silent = Duration.ZERO;
          } else {
            silent = silent.plus(CHECK);
          }
          if (silent.compareTo(HEARTBEAT) >= 0) {
            client.sendComment("still here");
            silent = Duration.ZERO;
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
