package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.insight.Overview;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.central.NodeClients;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Slow clients, bodies without end, a node and a web address that answer without end, all at once,
 * against a central manager with a small heap (256 MB): it answers throughout, no node is lost, and
 * afterwards it needs as much memory as before.
 */
@Tag("drill")
class AttackedClusterTest {
  private static final UUID ROGUE = new UUID(66, 6);
  private static final int CYCLES = 400;
  private static final Duration CYCLE = Duration.ofMillis(100);
  private static final Duration LIMIT = Duration.ofSeconds(1);

  /** Caches that have bounds may be fuller than before, and pooled buffers are kept. */
  private static final long MARGIN = 16 << 20;

  @RegisterExtension
  static final SeparateRoles ROLES =
      new SeparateRoles(2, 2, Map.of("c1", "notifications: {privateAddresses: true}\n"));

  private final JdkTransport transport = new JdkTransport();
  private final AtomicLong sequence = new AtomicLong();
  private final List<String> slow = new CopyOnWriteArrayList<>();
  private final List<Long> answered = new CopyOnWriteArrayList<>();
  private final TreeSet<String> lost = new TreeSet<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  @Test
  void theClusterWithstandsEverythingAtOnce() throws Exception {
    ROLES.define("bait", "{kind: queue, name: bait, minSegments: 2}");
    CentralClient rogue =
        new NodeClients(ROLES.tokens(), transport)
            .of(ROLES.address(), Role.QUEUE_NODE, "rogue", ROGUE);
    String operator = TokenFiles.read(TokenFiles.of(ROLES.tokens(), Role.OPERATOR));
    URI unharmed = node("q2").address();
    ScheduledExecutorService timer = Executors.newScheduledThreadPool(3);
    ROLES.central().peek("bait", 10, null);
    ROLES.central().overview();
    livez(ROLES.address());
    long before = liveHeap();
    int broken;
    int refused;
    try (EndlessServer endless = new EndlessServer();
        SlowClients clients = new SlowClients(ROLES.address(), operator)) {
      for (int i = 0; i < 5; i++) {
        submitWithWebhook(endless.address(), operator);
      }
      clients.sendWithoutEnd(20);
      clients.announce(300);
      CountDownLatch cycles = new CountDownLatch(CYCLES);
      timer.scheduleAtFixedRate(
          guarded(
              () -> {
                cycles.countDown();
                clients.step();
                poll(unharmed);
              }),
          0,
          CYCLE.toMillis(),
          TimeUnit.MILLISECONDS);
      timer.scheduleWithFixedDelay(
          guarded(() -> report(rogue, endless.address())), 0, 1, TimeUnit.SECONDS);
      timer.scheduleWithFixedDelay(guarded(this::look), 1, 1, TimeUnit.SECONDS);
      assertThat(cycles.await(5, TimeUnit.MINUTES)).isTrue();
      clients.announce(300);
      CountDownLatch more = new CountDownLatch(CYCLES / 2);
      timer.scheduleAtFixedRate(more::countDown, 0, CYCLE.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(more.await(5, TimeUnit.MINUTES)).isTrue();
      broken = endless.answers();
      refused = clients.refused();
    } finally {
      // What is running ends by itself: an interrupted call would count as one that failed.
      timer.shutdown();
      assertThat(timer.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
    answered.sort(null);
    System.out.printf(
        "%d polls of /livez: median %d ms, longest %d ms; %d endless answers and %d endless bodies"
            + " broken off; live heap before %d KB%n",
        answered.size(),
        answered.get(answered.size() / 2) / 1_000_000,
        answered.get(answered.size() - 1) / 1_000_000,
        broken,
        refused,
        before >> 10);
    assertThat(ROLES.process("c1").isAlive()).isTrue();
    assertThat(failures).isEmpty();
    assertThat(slow).isEmpty();
    assertThat(lost).isEmpty();
    assertThat(broken).as("answers without end").isGreaterThan(10);
    assertThat(refused).as("bodies without end").isGreaterThan(20);
    Awaitility.await("memory as before")
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofSeconds(2))
        .until(() -> liveHeap() - before, more -> more < MARGIN);
  }

  private Runnable guarded(Runnable step) {
    return () -> {
      try {
        step.run();
      } catch (RuntimeException e) {
        failures.add(e);
      }
    };
  }

  /** A process that is not attacked may be slow, too, on a machine that stops for a while. */
  private void poll(URI unharmed) {
    long attacked = livez(ROLES.address());
    long other = livez(unharmed);
    answered.add(attacked);
    if (attacked - other >= LIMIT.toNanos()) {
      slow.add("%d ms, the other %d ms".formatted(attacked / 1_000_000, other / 1_000_000));
    }
  }

  /** The nanoseconds until the whole answer has arrived over a new connection. */
  private static long livez(URI server) {
    long begun = System.nanoTime();
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      try (InputStream in = socket.getInputStream()) {
        String answer = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        if (!answer.startsWith("HTTP/1.1 200")) {
          throw new IllegalStateException(answer);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return System.nanoTime() - begun;
  }

  /** The endless node reports itself with a segment, and is asked for events. */
  private void report(CentralClient rogue, URI address) {
    rogue.report(
        new QueueNodeReport(
            ROGUE,
            "rogue",
            address,
            new NodeLoad(NodeState.IDLE, 0.1, 0.1, 0.1, null, "quiet"),
            1,
            1,
            ROLES.central().queue("bait").segments().stream()
                .filter(one -> one.queue().equals("bait"))
                .limit(1)
                .toList(),
            null),
        new RequestNumber(1, sequence.incrementAndGet()));
    try {
      ROLES.central().peek("bait", 10, null);
    } catch (MillraceException e) {
      assertThat(e.getMessage()).contains("rogue");
    }
  }

  private void look() {
    Overview overview = ROLES.central().overview();
    for (QueueNodeView node : overview.queueNodes()) {
      if (!node.live() && !node.name().equals("rogue")) {
        lost.add(node.name());
      }
    }
    overview.executionNodes().stream()
        .filter(node -> node.status() != NodeStatus.ACTIVE)
        .forEach(node -> lost.add(node.name()));
  }

  private void submitWithWebhook(URI webhook, String operator) throws IOException {
    String job =
        "{\"command\":[\"false\"],\"notify\":{\"webhook\":\"%s/hook\",\"on\":[\"FAILED\"]}}"
            .formatted(webhook);
    HttpCall call =
        new HttpCall(
                "POST",
                ROLES.address().resolve("/v1/jobs"),
                Map.of("Content-Type", "application/json"),
                job.getBytes(StandardCharsets.UTF_8),
                Duration.ofSeconds(20))
            .with("Authorization", "Bearer " + operator);
    assertThat(transport.send(call).status()).isEqualTo(201);
  }

  private static QueueNodeView node(String name) {
    return ROLES.central().overview().queueNodes().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Bytes of all objects of the central manager that a full collection leaves. */
  private static long liveHeap() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    command.add(Long.toString(ROLES.process("c1").pid()));
    command.add("GC.class_histogram");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    String total = text.lines().filter(line -> line.startsWith("Total")).findFirst().orElse(text);
    return Long.parseLong(total.strip().split("\\s+")[2]);
  }
}
