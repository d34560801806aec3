package io.millrace.cli.server;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.lifecycle.Waiter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends one queue's events when their time comes. A batch is sent until it is acknowledged, always
 * under the same name, so that a batch whose answer got lost is stored once. Runs on one thread.
 */
final class QueueReplay {
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
  private static final Duration BEFORE_REPEATING = Duration.ofMillis(250);
  private static final int MOST = 1_000;

  private final DemoQueue queue;
  private final EventCursor cursor;
  private final QueueClient balancer;
  private final Journal journal;
  private final Waiter waiter = new Waiter();
  private final AtomicLong sent;
  private volatile String trouble;

  QueueReplay(DemoQueue queue, EventCursor cursor, QueueClient balancer, Journal journal) {
    this.queue = queue;
    this.cursor = cursor;
    this.balancer = balancer;
    this.journal = journal;
    this.sent = new AtomicLong(journal.of(queue.name()));
    cursor.skip(sent.get());
  }

  DemoQueue queue() {
    return queue;
  }

  /** When its next event is due, in seconds of the day; the end of time when none is left. */
  double nextDue() {
    return cursor.atEnd() ? Double.MAX_VALUE : cursor.dueSeconds();
  }

  /** Events given to the load balancer so far, earlier lives included. */
  long sent() {
    return sent.get();
  }

  /** Why the current batch is not acknowledged yet; null when there is no trouble. */
  String trouble() {
    return trouble;
  }

  /** Sends until the day is over or the thread is interrupted. */
  void run(DemoClock clock) throws InterruptedException, IOException {
    while (!cursor.atEnd()) {
      waiter.await(BETWEEN_BATCHES);
      double now = clock.seconds();
      while (!cursor.atEnd() && cursor.dueSeconds() <= now) {
        sendDue(now);
      }
    }
  }

  private void sendDue(double now) throws InterruptedException, IOException {
    List<String> ids = new ArrayList<>();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (ids.size() < MOST && !cursor.atEnd() && cursor.dueSeconds() <= now) {
      ids.add(queue.id(cursor.number()));
      body.writeBytes(cursor.line().getBytes(StandardCharsets.UTF_8));
      cursor.advance();
    }
    sent.addAndGet(ids.size());
    // Named by its events: after a restart another cut gets another name.
    String name = "demo-" + ids.get(0) + "-" + ids.size();
    while (!acknowledged(name, body.toByteArray())) {
      waiter.await(BEFORE_REPEATING);
    }
    journal.append(queue.name(), ids);
  }

  private boolean acknowledged(String name, byte[] body) {
    try {
      balancer.send(queue.name(), name, EventMedia.ENVELOPES, body);
      trouble = null;
      return true;
    } catch (MillraceException e) {
      trouble = e.getMessage();
      return false;
    }
  }
}
