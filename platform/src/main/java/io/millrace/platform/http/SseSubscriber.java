package io.millrace.platform.http;

import io.javalin.http.sse.SseClient;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One browser's stream: a bounded queue and the thread that writes it out. */
final class SseSubscriber {
  private static final int MOST_WAITING = 16;

  private final SseClient client;
  private final Duration heartbeat;
  private final Consumer<SseSubscriber> gone;
  private final BlockingQueue<Event> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
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

  /** Adds an event; the oldest makes room. */
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
      // The server stops, or the browser has gone: the stream ends below.
      Thread.currentThread().interrupt();
    } finally {
      gone.accept(this);
      client.close();
    }
  }

  private record Event(String topic, String json) {}
}
