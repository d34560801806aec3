package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.insight.QueueView;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Events reach workers line by line while the agent of their execution node and their queue node
 * are killed in turns. Each worker notes an event before it answers, so that an event that is
 * acknowledged without being handled is one that is missing in the notes at the end. Events share
 * IDs and some fail at first, so that an answer that counts for another event or delivery of its ID
 * loses one. More rounds: {@code -Dstreams.rounds=N}.
 */
@Tag("drill")
class KilledStreamsTest {
  private static final int ROUNDS = Integer.getInteger("streams.rounds", 2);
  private static final Duration LONG = Duration.ofMinutes(4);
  private static final String QUEUE = "streamed";

  /** The more events after a death, the more of them share an ID with one from before. */
  private static final int AFTER_EACH_DEATH = 400;

  private static final String WORKER =
      """
      echo "$MILLRACE_ATTEMPT" >> "$1/runs"
      while read -r event; do
        id=${event#*'"id":"'}; id=${id%%'"'*}
        n=${event#*'"n":'}; n=${n%%'}'*}
        case $event in
          *'"attempt":1,'*)
            case $n in
              *7) echo "{\\"id\\":\\"$id\\",\\"ok\\":false,\\"reason\\":\\"at first\\"}"; continue ;;
            esac ;;
        esac
        echo "$n" >> "$1/handled"
        echo "{\\"id\\":\\"$id\\",\\"ok\\":true}"
      done
      """;

  @RegisterExtension static final SeparateRoles CLUSTER = new SeparateRoles(1, 1, Map.of());

  private Path folder;

  @Test
  void noEventIsLostOrAcknowledgedUnhandledWhoeverIsKilled() throws Exception {
    folder = CLUSTER.folder("journal");
    Path script = Files.writeString(folder.resolve("worker"), WORKER);
    CLUSTER.define(
        QUEUE,
        """
        kind: queue
        name: %s
        batch: 10
        lease: 5s
        maxAttempts: 1000
        pacing: {tick: 500ms, waitTarget: 2s, maxWorkers: 2}
        worker:
          command: [sh, '%s', '%s']
          input: stream
          linger: {maxEvents: 100000, maxTime: 1m, idle: 2s}
        """
            .formatted(QUEUE, script, folder));
    try (Sender sender = new Sender(CLUSTER.producer())) {
      for (int round = 1; round <= ROUNDS; round++) {
        for (String name : List.of("e1", "q1")) {
          more();
          CLUSTER.kill(name);
          long before = sender.sent();
          if (name.equals("e1")) {
            await("events arrive meanwhile").atMost(LONG).until(() -> sender.sent() > before);
          }
          CLUSTER.start(name);
          CLUSTER.awaitEveryNode();
        }
      }
      more();
      int sent = sender.stop();
      await("every event is acknowledged")
          .atMost(LONG)
          .untilAsserted(() -> assertThat(CLUSTER.view(QUEUE).acknowledged()).isEqualTo(sent));
      QueueView view = CLUSTER.view(QUEUE);
      assertThat(List.of(view.waiting(), view.delayed(), view.leased(), view.dead()))
          .containsOnly(0L);
      assertThat(handled().stream().collect(Collectors.toSet()))
          .as("events that workers noted")
          .isEqualTo(numbers(sent));
      System.out.printf(
          "%d events, %d deliveries that were handled, %d worker runs, %d rounds%n",
          sent, handled().size(), Files.readAllLines(folder.resolve("runs")).size(), ROUNDS);
    }
  }

  private static Set<String> numbers(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.toSet());
  }

  private List<String> handled() throws IOException {
    Path file = folder.resolve("handled");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  /** Waits until workers have handled some more events. */
  private void more() throws IOException {
    int before = handled().size();
    await("events are handled")
        .atMost(LONG)
        .until(() -> handled().size() >= before + AFTER_EACH_DEATH);
  }

  /**
   * Sends numbered events, no faster than they are acknowledged, so that a busy machine carries
   * them. A batch without an answer is sent again under its name. Sends on one thread.
   */
  private static final class Sender implements AutoCloseable {
    private static final int BATCH = 20;
    private static final int MOST_OPEN = 1_000;

    /** Events with one ID are rarely under way at a time; those that are wait for one another. */
    private static final int IDS = 300;

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final QueueClient producer;
    private final Thread thread = new Thread(this::run, "sender");
    private volatile int sent;
    private volatile boolean stopped;
    private volatile MillraceException failure;

    Sender(QueueClient producer) {
      this.producer = producer;
      thread.start();
    }

    int sent() {
      return sent;
    }

    /** Stops after the batch that is under way; returns how many events are stored. */
    int stop() throws InterruptedException {
      stopped = true;
      thread.join();
      if (failure != null) {
        throw new AssertionError("a batch was refused", failure);
      }
      return sent;
    }

    private void run() {
      try {
        while (!stopped) {
          if (sent - CLUSTER.view(QUEUE).acknowledged() < MOST_OPEN) {
            send();
          }
          new Waiter().await(PAUSE);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (MillraceException e) {
        failure = e;
      }
    }

    private void send() throws InterruptedException {
      int from = sent;
      String body =
          IntStream.range(from, from + BATCH)
              .mapToObj(n -> "{\"id\":\"s-%d\",\"data\":{\"n\":%d}}\n".formatted(n % IDS, n))
              .collect(Collectors.joining());
      while (true) {
        try {
          producer.send(
              QUEUE, "b-" + from, EventMedia.ENVELOPES, body.getBytes(StandardCharsets.UTF_8));
          sent = from + BATCH;
          return;
        } catch (MillraceException e) {
          if (e.code().status() < 429) {
            throw e;
          }
          new Waiter().await(PAUSE);
        }
      }
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }
}
