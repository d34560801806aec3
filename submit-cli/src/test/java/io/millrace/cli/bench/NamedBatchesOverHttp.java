package io.millrace.cli.bench;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.bench.process.BenchServers;
import io.millrace.bench.process.RoleProcess;
import io.millrace.bench.process.WorkerThreads;
import io.millrace.bench.queue.BenchClient;
import io.millrace.bench.queue.BenchClient.Bodies;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Puts batches of one event, each under a name of its own, into a queue node over HTTP, kills the
 * node with {@code kill -9}, starts it again and counts what waits: {@code NamedBatchesOverHttp
 * [BATCHES] [HEAP] [disk|process] [PRODUCERS]}. Ends with status 1 when a put was refused or an
 * event is missing.
 */
final class NamedBatchesOverHttp {
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final int REPORT_EVERY = 100_000;

  private final Clock clock = new SystemClock();
  private final Bodies bodies = new Bodies(200);
  private final BenchServers roles;

  private NamedBatchesOverHttp() throws Exception {
    this.roles = new BenchServers(null, clock);
  }

  public static void main(String[] arguments) throws Exception {
    int batches = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    String heap = arguments.length > 1 ? arguments[1] : "256m";
    String durability = arguments.length > 2 ? arguments[2] : "disk";
    int producers = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 16;
    System.setProperty("http.maxConnections", String.valueOf(producers));
    NamedBatchesOverHttp run = new NamedBatchesOverHttp();
    boolean kept;
    try {
      kept = run.run(batches, heap, durability.toUpperCase(Locale.ROOT), producers);
    } finally {
      run.roles.close();
    }
    System.exit(kept ? 0 : 1);
  }

  private boolean run(int batches, String heap, String durability, int producers) throws Exception {
    Map<String, Object> settings = Map.of("durability", durability);
    RoleProcess node = roles.start("queue-node", "q1", heap, settings);
    roles.apply("kind: queue\nname: bench\nmaxEvents: 1000000000\nminSegments: 1\n");
    Waiter waiter = new Waiter();
    while (roles.central().queue("bench").segments().stream().noneMatch(one -> one.weight() > 0)) {
      waiter.await(LOOK);
    }
    long refused = put(node, batches, producers);
    long before = waiting(node);
    long live = node.liveHeap() >> 20;
    tell("%,d wait, %,d refused, %d MB of %s live", before, refused, live, heap);

    ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    node.close();
    long begun = clock.nanoTime();
    RoleProcess again = roles.start("queue-node", "q1", heap, settings);
    long after = waiting(again);
    tell("killed and answering again after %.1f s: %,d wait", seconds(begun), after);
    put(again, batches - 1L);
    long repeated = waiting(again);
    tell("the last batch sent again: %,d wait", repeated);
    return refused == 0 && before == batches && after == batches && repeated == batches;
  }

  private long put(RoleProcess node, int batches, int producers) throws InterruptedException {
    long begun = clock.nanoTime();
    AtomicLong next = new AtomicLong();
    LongAdder refused = new LongAdder();
    WorkerThreads crew = new WorkerThreads("named");
    crew.start(
        producers,
        producer -> {
          for (long put = next.getAndIncrement(); put < batches; put = next.getAndIncrement()) {
            try {
              put(node, put);
            } catch (MillraceException e) {
              refused.increment();
            }
            if (put % REPORT_EVERY == REPORT_EVERY - 1) {
              tell("%,d put after %.1f s", put + 1, seconds(begun));
            }
          }
        });
    crew.await();
    return refused.sum();
  }

  private void put(RoleProcess node, long number) {
    new BenchClient("bench", node.address(), roles.token())
        .put("named-" + number, bodies.lines(number, 1, 0));
  }

  private long waiting(RoleProcess node) {
    return new ApiClient(new UrlTransport(), new Endpoints(List.of(node.address())), roles::token)
        .get("/v1/segments/bench")
        .as(SegmentFigures.class)
        .waiting();
  }

  private double seconds(long begun) {
    return (clock.nanoTime() - begun) / 1e9;
  }

  private static void tell(String words, Object... values) {
    System.out.printf(Locale.ROOT, words + "%n", values);
  }
}
