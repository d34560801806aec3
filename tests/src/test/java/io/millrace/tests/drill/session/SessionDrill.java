package io.millrace.tests.drill.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.QueueClient;
import io.millrace.platform.identity.Role;
import io.millrace.tests.drill.check.ClusterSampler;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Fault;
import io.millrace.tests.drill.cluster.FaultInjector;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.LongRun;
import io.millrace.tests.drill.cluster.PlannedFault;
import io.millrace.tests.drill.session.SessionEntry.Begun;
import io.millrace.tests.drill.session.SessionProgram.Manner;
import io.millrace.tests.drill.session.SessionProgram.Settings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rounds of a queue of sessions under faults: producers that await answers, two programs outside
 * and two jobs that work on the sessions, and slots that move all the time. Used by one thread.
 */
final class SessionDrill implements AutoCloseable {
  private static final String QUEUE = "tracks";
  // Whether the jobs have a process for each session, or are one that a watchdog of the drill ends.
  private static final boolean BY_PROCESSES = Boolean.getBoolean("drill.session.processes");
  private static final int PRODUCERS = 3;
  private static final int JOBS = 2;
  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final Duration SERVED_WITHIN = Duration.ofMinutes(2);
  private static final Duration DRAINED_WITHIN = Duration.ofMinutes(3);
  private static final int SERVED = 60;
  private static final int MOST_LISTED = 50;

  private final DrillCluster cluster;
  private final Path journals;
  private final Path jobSettings;
  private final WatchdogScript watchdog;
  private final OutsidePrograms programs;
  private final FaultInjector injector;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicLong settled = new AtomicLong();
  private final List<SessionVerdict> verdicts = new ArrayList<>();
  private ClusterSampler sampler;
  private long moves;

  /** Starts the cluster, which is closed with the drill. */
  SessionDrill(DrillCluster cluster) throws IOException {
    this.cluster = cluster;
    this.journals = Files.createDirectory(cluster.folder().resolve("journals"));
    this.jobSettings = cluster.folder().resolve("job.json");
    this.watchdog = new WatchdogScript(cluster.folder());
    this.programs =
        new OutsidePrograms(
            cluster, journals, QUEUE, Map.of("w1", Manner.CLIENT, "w2", Manner.CALLS));
    this.injector = new FaultInjector(cluster);
    try {
      cluster.start();
      define();
      programs.start();
      sampler = new ClusterSampler(cluster);
    } catch (RuntimeException | AssertionError e) {
      close();
      throw e;
    }
  }

  private void define() throws IOException {
    Map<String, URI> nodes = new TreeMap<>();
    for (String node : cluster.shape().queueNodeNames()) {
      nodes.put(node, cluster.links().get("cluster>" + node).address());
    }
    Settings settings = new Settings("job", journals, QUEUE, nodes, null, Manner.JOB);
    Files.writeString(jobSettings, Json.write(settings));
    int nodesWithSegments = cluster.shape().queueNodes();
    cluster.define(
        QUEUE,
        """
        kind: queue
        name: %s
        minSegments: %d
        batch: 10
        maxAttempts: 1000
        sessions: {key: %s, maxPerWorker: 40, heartbeat: 2s, missed: 3, retiredFor: 1m}
        pacing: {tick: 500ms, maxWorkers: %d}
        worker:
          command: %s
          input: %s
          env: %s
        """
            .formatted(
                QUEUE,
                nodesWithSegments,
                SessionProducer.KEY,
                JOBS,
                Json.write(
                    BY_PROCESSES
                        ? new SessionScript(cluster.folder()).command(journals)
                        : watchdog.watched(SessionProgram.command(jobSettings))),
                BY_PROCESSES ? "session" : "pull",
                Json.write(watchdog.environment())),
        nodesWithSegments);
  }

  /** Faults of the processes that work on sessions, that end within seconds. */
  List<Fault> shortFaults() {
    return WorkerFault.shortOnes(programs, BY_PROCESSES ? journals : jobSettings);
  }

  /** The same that take minutes. */
  List<Fault> longFaults() {
    return WorkerFault.longOnes(programs, BY_PROCESSES ? journals : jobSettings);
  }

  /**
   * One round: producers, slot moves and faults at the same time, recovery, all sessions to their
   * end, the check.
   *
   * @param tally receives the count of each fault
   * @throws AssertionError with all violations
   */
  void round(int number, long seed, List<PlannedFault> plan, FaultTally tally) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    String keys = "r" + number + "-";
    long began = System.nanoTime();
    CountDownLatch stopped = new CountDownLatch(1);
    String moved;
    List<String> open;
    try (SessionJournal journal = SessionJournal.open(journals, "producers-" + number)) {
      List<Future<?>> producers = produce(keys, journal, random, stopped);
      try {
        awaitService(producers);
        try (SlotMoves churn = new SlotMoves(cluster, QUEUE, random.split())) {
          tally.add(injector.play(plan));
          cluster.links().heal();
          cluster.awaitEverybody();
          awaitService(producers);
          moves += churn.accepted();
          moved = churn.toString();
        }
      } finally {
        stopped.countDown();
      }
      for (Future<?> one : producers) {
        one.get(SERVED_WITHIN.plusMinutes(1).toSeconds(), TimeUnit.SECONDS);
      }
      open = drained();
    }
    List<SessionEntry> entries = SessionJournal.read(journals, keys);
    SessionVerdict verdict = SessionChecker.of(entries, cluster.timeline().all(), open);
    verdicts.add(verdict);
    System.out.printf(
        "session drill round %d: %s; %s; %s; %d handled by jobs, %.0f s%n",
        number,
        LongRun.words(plan),
        moved,
        verdict.summary(),
        entries.stream().filter(SessionDrill::isOfJob).count(),
        (System.nanoTime() - began) / 1e9);
    verdict.outsideOverlaps().forEach(one -> System.out.println("  overlap: " + one));
    assertThat(verdict.violations())
        .as("round %d: %s; injected: %s", number, LongRun.words(plan), cluster.timeline().all())
        .isEmpty();
    assertThat(programs.failures()).as("programs outside").isEmpty();
  }

  private static boolean isOfJob(SessionEntry entry) {
    return entry instanceof Begun begun && begun.worker().watched();
  }

  private List<Future<?>> produce(
      String keys, SessionJournal journal, SplittableRandom random, CountDownLatch stopped) {
    List<QueueClient> balancers = new ArrayList<>();
    for (String name : cluster.shape().balancerNames()) {
      balancers.add(cluster.over("producers>" + name, Role.PRODUCER, PATIENCE));
    }
    List<Future<?>> producers = new ArrayList<>();
    for (int number = 1; number <= PRODUCERS; number++) {
      Collections.rotate(balancers, 1);
      producers.add(
          threads.submit(
              new SessionProducer(
                  keys + "p" + number,
                  QUEUE,
                  balancers,
                  journal,
                  random.split(),
                  PAUSE,
                  settled,
                  stopped)));
    }
    return producers;
  }

  /** Events are settled again. */
  private void awaitService(List<Future<?>> producers)
      throws InterruptedException, ExecutionException, TimeoutException {
    long before = settled.get();
    await("events are accepted")
        .atMost(SERVED_WITHIN)
        .until(
            () -> producers.stream().anyMatch(Future::isDone) || settled.get() >= before + SERVED);
    for (Future<?> one : producers) {
      if (one.isDone()) {
        one.get(0, TimeUnit.SECONDS);
        throw new AssertionError("a producer ended prematurely");
      }
    }
  }

  /** Waits until no session is left, and every slot has its events; returns what is left. */
  private List<String> drained() throws InterruptedException {
    long end = System.nanoTime() + DRAINED_WITHIN.toNanos();
    CountDownLatch never = new CountDownLatch(1);
    List<String> left = left();
    while (!left.isEmpty() && System.nanoTime() < end) {
      never.await(500, TimeUnit.MILLISECONDS);
      left = left();
    }
    return left;
  }

  private List<String> left() {
    List<String> left = new ArrayList<>();
    for (String node : cluster.shape().queueNodeNames()) {
      try {
        JsonNode page =
            cluster
                .impatient(node)
                .get(ApiClient.path("/v1/queues/%s/sessions", QUEUE) + "?limit=" + MOST_LISTED)
                .as(JsonNode.class);
        page.get("sessions").forEach(one -> left.add(node + ": " + one));
      } catch (MillraceException e) {
        left.add(node + " does not list its sessions: " + e.getMessage());
      }
    }
    try {
      JsonNode row =
          cluster
              .impatient("c1")
              .get(ApiClient.path("/v1/queues/%s/weights", QUEUE) + "?minutes=1")
              .as(JsonNode.class);
      for (JsonNode range : row.at("/weights/slots")) {
        if (!range.at("/owner/undrained").isEmpty()) {
          left.add("slots without the events of an earlier owner: " + range);
        }
      }
    } catch (MillraceException e) {
      left.add("c1 does not show the weight row: " + e.getMessage());
    }
    return left;
  }

  /** A summary of all rounds in one line. */
  String summary() {
    return "session drill: %d rounds, %d slot moves; %s"
        .formatted(verdicts.size(), moves, SessionVerdict.sum(verdicts).summary());
  }

  @Override
  public void close() throws IOException {
    try (cluster) {
      threads.shutdownNow();
      injector.close();
      programs.close();
      if (sampler != null) {
        sampler.close();
      }
    }
  }
}
