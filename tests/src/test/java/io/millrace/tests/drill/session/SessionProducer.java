package io.millrace.tests.drill.session;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.EventMedia.EventDraft;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.session.SessionEntry.Offered;
import io.millrace.tests.drill.session.SessionEntry.Purpose;
import io.millrace.tests.drill.session.SessionEntry.Settled;
import io.millrace.tests.drill.session.SessionEntry.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The only producer of some sessions at a time. Sends batches of mixed keys, each again until every
 * event of it is accepted or refused as a duplicate, and only then the next one. Sends some settled
 * events again, and some new ones after a session's last one. When it is stopped, it ends its
 * sessions first. Runs on one thread.
 */
final class SessionProducer implements Runnable {
  /** The attribute with the key. */
  static final String KEY = "key";

  private static final int KEYS = 12;
  private static final int LARGEST = 8;
  private static final int FEWEST_EVENTS = 3;
  private static final int MOST_EVENTS = 14;
  private static final int INJECTED_ONE_IN = 6;
  private static final int REMEMBERED = 80;
  // Once it is stopped, in a cluster without faults.
  private static final long SETTLED_WITHIN_SECONDS = 120;

  private final String name;
  private final String queue;
  private final List<QueueClient> balancers;
  private final SessionJournal journal;
  private final RandomGenerator random;
  private final Duration pause;
  private final AtomicLong settledEvents;
  private final CountDownLatch stopped;
  private final CountDownLatch never = new CountDownLatch(1);
  private final List<OpenKey> open = new ArrayList<>();
  private final List<Draft> past = new ArrayList<>();
  private int keys;
  private int batches;

  /**
   * A producer.
   *
   * @param name unique in the drill; its keys begin with it
   * @param balancers the preferred one first
   * @param pause before a batch is sent again, and the longest one before the next batch
   * @param settledEvents counts them, for whoever waits until service is restored
   */
  SessionProducer(
      String name,
      String queue,
      List<QueueClient> balancers,
      SessionJournal journal,
      RandomGenerator random,
      Duration pause,
      AtomicLong settledEvents,
      CountDownLatch stopped) {
    this.name = name;
    this.queue = queue;
    this.balancers = List.copyOf(balancers);
    this.journal = journal;
    this.random = random;
    this.pause = pause;
    this.settledEvents = settledEvents;
    this.stopped = stopped;
  }

  /** A session of which more events will come. */
  private static final class OpenKey {
    final String key;
    int left;
    int sent;

    OpenKey(String key, int left) {
      this.key = key;
      this.left = left;
    }
  }

  private record Draft(String key, String id, Purpose purpose) {
    EventDraft event() {
      return new EventDraft(
          id,
          JsonNodeFactory.instance.objectNode().put(KeyState.LAST, purpose == Purpose.LAST),
          Map.of(KEY, key));
    }
  }

  @Override
  public void run() {
    try {
      while (!stopped.await(random.nextLong(pause.toMillis()), TimeUnit.MILLISECONDS)) {
        while (open.size() < KEYS) {
          open.add(
              new OpenKey(name + "-k" + keys++, random.nextInt(FEWEST_EVENTS, MOST_EVENTS + 1)));
        }
        List<Draft> batch = new ArrayList<>();
        for (int i = random.nextInt(LARGEST); i >= 0 && !open.isEmpty(); i--) {
          batch.add(next(open.get(random.nextInt(open.size()))));
        }
        if (!past.isEmpty() && random.nextInt(INJECTED_ONE_IN) == 0) {
          batch.add(injected());
        }
        settle(batch);
      }
      List<Draft> rest = new ArrayList<>();
      for (OpenKey one : List.copyOf(open)) {
        one.left = 1;
        rest.add(next(one));
      }
      settle(rest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Draft next(OpenKey one) {
    one.left--;
    one.sent++;
    if (one.left == 0) {
      open.remove(one);
    }
    return new Draft(
        one.key, one.key + "-e" + one.sent, one.left == 0 ? Purpose.LAST : Purpose.EVENT);
  }

  /** A settled event once more, or a new one of a session whose last one is settled. */
  private Draft injected() {
    List<Draft> last = past.stream().filter(one -> one.purpose() == Purpose.LAST).toList();
    if (!last.isEmpty() && random.nextBoolean()) {
      String key = last.get(random.nextInt(last.size())).key();
      return new Draft(key, key + "-late" + batches, Purpose.LATE);
    }
    Draft earlier = past.get(random.nextInt(past.size()));
    return new Draft(earlier.key(), earlier.id(), Purpose.DUPLICATE);
  }

  private void settle(List<Draft> batch) throws InterruptedException {
    if (batch.isEmpty()) {
      return;
    }
    String id = name + "-b" + batches++;
    double now = Uptime.now();
    batch.forEach(one -> journal.add(new Offered(now, name, one.key(), one.id(), one.purpose())));
    byte[] body =
        batch.stream()
            .map(one -> Json.write(one.event()) + "\n")
            .collect(Collectors.joining())
            .getBytes(StandardCharsets.UTF_8);
    Map<Integer, Settlement> outcomes = new HashMap<>();
    // Events that may be stored already, though no answer said so.
    Set<Integer> doubtful = new HashSet<>();
    long began = System.nanoTime();
    for (int tried = 0; outcomes.size() < batch.size(); tried++) {
      if (tried > 0) {
        never.await(pause.toMillis(), TimeUnit.MILLISECONDS);
      }
      try {
        QueueClient balancer = balancers.get(tried / 2 % balancers.size());
        SendAnswer answer = balancer.send(queue, id, EventMedia.ENVELOPES, body);
        note(batch, answer, doubtful, outcomes);
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.DUPLICATE) {
          IntStream.range(0, batch.size()).forEach(i -> duplicate(i, doubtful, outcomes));
        } else if (!(e.getCause() instanceof NothingSentException)) {
          requireValid(e);
          IntStream.range(0, batch.size()).forEach(doubtful::add);
        }
      }
      if (stopped.getCount() > 0) {
        began = System.nanoTime();
      } else if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(SETTLED_WITHIN_SECONDS)) {
        break;
      }
    }
    double settled = Uptime.now();
    for (int i = 0; i < batch.size(); i++) {
      Draft one = batch.get(i);
      Settlement outcome = outcomes.getOrDefault(i, Settlement.UNKNOWN);
      journal.add(new Settled(settled, name, one.key(), one.id(), one.purpose(), outcome));
      if (one.purpose() != Purpose.DUPLICATE) {
        past.add(one);
      }
    }
    while (past.size() > REMEMBERED) {
      past.remove(0);
    }
    settledEvents.addAndGet(outcomes.size());
  }

  /** Notes what is settled by an answer. */
  private static void note(
      List<Draft> batch,
      SendAnswer answer,
      Set<Integer> doubtful,
      Map<Integer, Settlement> outcomes) {
    Map<Integer, RefusedEvent> refused =
        answer.refused().stream().collect(Collectors.toMap(RefusedEvent::index, one -> one));
    for (int i = 0; i < batch.size(); i++) {
      RefusedEvent refusal = refused.get(i);
      if (refusal == null) {
        outcomes.putIfAbsent(i, Settlement.ACCEPTED);
      } else if (refusal.code() == ErrorCode.DUPLICATE) {
        duplicate(i, doubtful, outcomes);
      } else {
        doubtful.add(i);
      }
    }
  }

  /**
   * It is not known whether an event was accepted that an earlier request may have stored: its
   * session may have ended meanwhile.
   */
  private static void duplicate(
      int index, Set<Integer> doubtful, Map<Integer, Settlement> outcomes) {
    outcomes.putIfAbsent(
        index, doubtful.contains(index) ? Settlement.UNKNOWN : Settlement.DUPLICATE);
  }

  /** A drill sends only valid requests. */
  private static void requireValid(MillraceException e) {
    switch (e.code()) {
      case INVALID_REQUEST, MALFORMED_BODY, FORBIDDEN, UNAUTHENTICATED ->
          throw new AssertionError("a producer's batch was refused as invalid", e);
      default -> {
        // Sent again.
      }
    }
  }
}
