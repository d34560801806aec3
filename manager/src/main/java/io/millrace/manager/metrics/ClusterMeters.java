package io.millrace.manager.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Figures of the whole cluster as gauges (docs/metrics.md). One thread reads them from the database
 * every few seconds, however often they are scraped; a scrape never waits for the database. Figures
 * that cannot be read any more, or that nobody has scraped for a while, are withdrawn: an old
 * figure is worse than none. Thread-safe.
 */
public final class ClusterMeters implements Service {
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration UNREAD = Duration.ofSeconds(30);
  private static final Duration UNSCRAPED = Duration.ofMinutes(10);

  /**
   * What is read; each of it at a cost that depends neither on the number of jobs nor on history.
   *
   * @param overview nodes, queues and problems
   * @param jobs jobs by kind and state
   * @param lateTasks tasks that should have been launched
   * @param duties duties that this central manager holds, with how many claims each takes
   */
  public record ClusterSources(
      Supplier<Overview> overview,
      Supplier<Map<JobKind, Map<JobState, Long>>> jobs,
      Supplier<Integer> lateTasks,
      Supplier<Map<String, Long>> duties) {}

  private final ClusterSources sources;
  private final Clock clock;
  private final MeterRegistry registry;
  private final Loop loop;
  private final Map<String, GaugeSeries> gauges = new HashMap<>();
  // A problem that is gone stays as 0, so that an alert on it ends. Used only by the loop's thread.
  private final Set<String> problemsSeen = new TreeSet<>();
  private volatile long readAt;
  private volatile boolean read;
  private volatile long scrapedAt;

  public ClusterMeters(MeterRegistry registry, ClusterSources sources, Clock clock) {
    this.registry = registry;
    this.sources = sources;
    this.clock = clock;
    this.loop = new Loop("measure-cluster", INTERVAL, this::refresh);
    this.scrapedAt = clock.nanoTime();
    Gauge.builder("millrace.cluster.figures.age.seconds", this, ClusterMeters::age)
        .description("time since the figures of the cluster were read; NaN before the first time")
        .register(registry);
    gauge("millrace.jobs", "jobs that are kept, by kind and state; arrays count as their elements");
    gauge("millrace.queue.events", "events by state, over all segments");
    gauge("millrace.queue.oldest.seconds", "age of the oldest waiting event");
    gauge("millrace.queue.workers", "workers by state");
    gauge("millrace.execution.nodes", "execution nodes by status");
    gauge("millrace.queue.nodes", "queue nodes by status");
    gauge("millrace.load.balancers", "load balancers that report");
    gauge("millrace.cluster.slots", "slots of execution nodes that are not lost");
    gauge("millrace.cluster.slots.used", "slots booked on them");
    gauge("millrace.cluster.processors", "processors that they offer");
    gauge("millrace.cluster.processors.used", "processors booked on them");
    gauge("millrace.cluster.memory.bytes", "memory that they offer");
    gauge("millrace.cluster.memory.used.bytes", "memory booked on them");
    gauge("millrace.problems", "problems as 'millrace problems' lists them, by code");
    gauge("millrace.tasks.late", "tasks that have been due for more than 30 seconds");
    gauge("millrace.claims.held", "claims that this central manager holds, by duty");
  }

  private void gauge(String name, String description) {
    gauges.put(name, new GaugeSeries(name, description));
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  private double age() {
    long now = clock.nanoTime();
    scrapedAt = now;
    return read ? (now - readAt) / 1e9 : Double.NaN;
  }

  /** One round of the loop. */
  void refresh() {
    if (clock.nanoTime() - scrapedAt > UNSCRAPED.toNanos()) {
      withdraw();
      return;
    }
    try {
      show(sources.overview().get());
      set("millrace.jobs", jobs(sources.jobs().get()));
      set("millrace.tasks.late", List.of(row(Tags.empty(), sources.lateTasks().get())));
      set("millrace.claims.held", counts("duty", sources.duties().get()));
      readAt = clock.nanoTime();
      read = true;
    } catch (RuntimeException failure) {
      if (read && clock.nanoTime() - readAt > UNREAD.toNanos()) {
        withdraw();
      }
      throw failure;
    }
  }

  private void withdraw() {
    gauges.keySet().forEach(name -> set(name, List.of()));
  }

  private void show(Overview overview) {
    set("millrace.queue.events", overview.queues().stream().flatMap(ClusterMeters::events));
    set(
        "millrace.queue.oldest.seconds",
        overview.queues().stream()
            .map(queue -> row(Tags.of("queue", queue.name()), queue.oldestSeconds())));
    set("millrace.queue.workers", overview.queues().stream().flatMap(ClusterMeters::workers));
    set(
        "millrace.queue.nodes",
        statuses(overview.queueNodes().stream().map(QueueNodeView::status)));
    set("millrace.load.balancers", List.of(row(Tags.empty(), overview.balancers().size())));
    set(
        "millrace.execution.nodes",
        statuses(overview.executionNodes().stream().map(ExecutionNodeView::status)));
    show(overview.executionNodes().stream().filter(node -> !node.lost()).toList());
    set("millrace.problems", problems(overview.alerts()));
  }

  private void show(List<ExecutionNodeView> nodes) {
    sum(
        "millrace.cluster.slots",
        nodes.stream().mapToDouble(node -> node.capacity().slots()).sum());
    sum(
        "millrace.cluster.slots.used",
        nodes.stream().mapToDouble(ExecutionNodeView::usedSlots).sum());
    sum(
        "millrace.cluster.processors",
        nodes.stream().mapToDouble(node -> node.capacity().cpus()).sum());
    sum(
        "millrace.cluster.processors.used",
        nodes.stream().mapToDouble(ExecutionNodeView::usedCpus).sum());
    sum(
        "millrace.cluster.memory.bytes",
        nodes.stream().mapToDouble(node -> node.capacity().memoryBytes()).sum());
    sum(
        "millrace.cluster.memory.used.bytes",
        nodes.stream().mapToDouble(ExecutionNodeView::usedMemoryBytes).sum());
  }

  private void sum(String name, double value) {
    set(name, List.of(row(Tags.empty(), value)));
  }

  private static Stream<Figure> events(QueueView queue) {
    return Stream.of(
        row(state(queue, "waiting"), queue.waiting()),
        row(state(queue, "delayed"), queue.delayed()),
        row(state(queue, "leased"), queue.leased()),
        row(state(queue, "dead"), queue.dead()));
  }

  private static Stream<Figure> workers(QueueView queue) {
    return Stream.of(
        row(state(queue, "starting"), queue.workersStarting()),
        row(state(queue, "running"), queue.workersRunning()));
  }

  private static Tags state(QueueView queue, String state) {
    return Tags.of("queue", queue.name(), "state", state);
  }

  private static List<Figure> jobs(Map<JobKind, Map<JobState, Long>> counts) {
    List<Figure> rows = new ArrayList<>();
    for (JobKind kind : JobKind.values()) {
      for (JobState state : JobState.values()) {
        rows.add(
            row(
                Tags.of("kind", JobMeters.label(kind), "state", JobMeters.label(state)),
                counts.getOrDefault(kind, Map.of()).getOrDefault(state, 0L)));
      }
    }
    return rows;
  }

  private static Stream<Figure> statuses(Stream<NodeStatus> nodes) {
    Map<NodeStatus, Long> counts = new HashMap<>();
    nodes.forEach(status -> counts.merge(status, 1L, Long::sum));
    return Stream.of(NodeStatus.values())
        .map(
            status ->
                row(Tags.of("status", JobMeters.label(status)), counts.getOrDefault(status, 0L)));
  }

  private List<Figure> problems(List<Alert> alerts) {
    Map<String, Long> counts = new HashMap<>();
    alerts.forEach(alert -> counts.merge(alert.code(), 1L, Long::sum));
    problemsSeen.addAll(counts.keySet());
    problemsSeen.forEach(code -> counts.putIfAbsent(code, 0L));
    return counts("code", counts);
  }

  private static List<Figure> counts(String label, Map<String, Long> counts) {
    List<Figure> rows = new ArrayList<>();
    counts.forEach((value, count) -> rows.add(row(Tags.of(label, value), count)));
    return rows;
  }

  private static Figure row(Tags tags, Number value) {
    return new Figure(tags, value.doubleValue());
  }

  private void set(String name, Stream<Figure> rows) {
    set(name, rows.toList());
  }

  private void set(String name, List<Figure> rows) {
    gauges.get(name).show(rows);
  }

  /** One figure of a gauge. */
  private record Figure(Tags tags, double value) {}

  /**
   * The figures of one gauge, by tags. Values change in place: a series that is removed and
   * registered again can appear twice in a scrape of that moment, which is refused as a whole.
   * Changed by the thread of {@link ClusterMeters} only.
   */
  private final class GaugeSeries {
    private final String name;
    private final String description;
    private final Map<Tags, DoubleHolder> values = new HashMap<>();

    private GaugeSeries(String name, String description) {
      this.name = name;
      this.description = description;
    }

    private void show(List<Figure> figures) {
      Map<Tags, Double> shown = new HashMap<>();
      figures.forEach(figure -> shown.put(figure.tags(), figure.value()));
      values
          .entrySet()
          .removeIf(
              one -> {
                boolean ended = !shown.containsKey(one.getKey());
                if (ended) {
                  registry.remove(one.getValue().gauge);
                }
                return ended;
              });
      shown.forEach((tags, value) -> values.computeIfAbsent(tags, this::register).value = value);
    }

    private DoubleHolder register(Tags tags) {
      DoubleHolder holder = new DoubleHolder();
      holder.gauge =
          Gauge.builder(name, holder, one -> one.value)
              .description(description)
              .tags(tags)
              .strongReference(true)
              .register(registry);
      return holder;
    }
  }

  /** The value of one series, read by scrapes. */
  private static final class DoubleHolder {
    private volatile double value = Double.NaN;
    private Gauge gauge;
  }
}
