package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.bench.process.Rate;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Measures workflows of steps that do nothing: binding, the run, and the answers of the API
 * meanwhile, beside jobs that do nothing in the same run. Not thread-safe.
 */
public final class WorkflowsBench {
  private static final int ELEMENTS = 1_000;
  private static final int LAYER = 10;
  private static final int FAN_IN = 3;
  private static final int MAX_WARM_UP = 10_000;
  private static final int REFERENCE_JOBS = 10_000;
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration PROBE_INTERVAL = Duration.ofMillis(100);

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * What is measured.
   *
   * @param steps of the workflow
   * @param single whether each step is listed with {@link #FAN_IN} random needs; otherwise there
   *     are templates of {@link #ELEMENTS} steps in layers
   * @param cluster nodes, slots and folder
   */
  public record Plan(int steps, boolean single, JobsBenchPlan cluster) {}

  public WorkflowsBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until the workflow has ended. */
  public Result run() throws IOException, InterruptedException {
    StepJournal journal = new StepJournal();
    try (JobsCluster cluster = JobsCluster.start(plan.cluster(), clock, List.of(journal))) {
      progress.accept("warming up");
      round(cluster, journal, Math.min(plan.steps(), MAX_WARM_UP));
      double noop =
          new JobRound(cluster, JobDraft.program("noop").spec(), clock)
              .perSecond(REFERENCE_JOBS, () -> {});
      progress.accept(String.format(Locale.ROOT, "%,.0f no-op jobs/s", noop));
      Round round = round(cluster, journal, plan.steps());
      return new Result(
          plan.steps(),
          plan.single(),
          round.view().progress().steps(),
          whole(round.bindPerSecond()),
          whole(round.stepsPerSecond()),
          whole(noop),
          Math.round(100 * round.stepsPerSecond() / noop) / 100.0,
          round.view().progress().succeeded(),
          violations(journal, plan.steps()),
          journal.repetitions(),
          round.probe().millisAt(99),
          round.probe().millisAt(100),
          Math.round(round.cpuNanos() / 1e3 / plan.steps()),
          liveHeap(),
          residentPeak());
    }
  }

  /** A workflow that was bound and run. */
  private record Round(
      WorkflowView view,
      double bindPerSecond,
      double stepsPerSecond,
      long cpuNanos,
      ApiProbe probe) {}

  private Round round(JobsCluster cluster, StepJournal journal, int steps)
      throws InterruptedException {
    journal.begin(steps);
    WorkflowGraph graph = graph(steps);
    WorkflowClient client = new WorkflowClient(cluster.api(0));
    WorkflowView[] bound = new WorkflowView[1];
    String key = Long.toString(clock.nanoTime());
    long cpuBefore = cpuNanos();
    double bindRate =
        Rate.perSecond(
            clock, steps, () -> bound[0] = client.submit(graph, key, SubmissionListener.NONE));
    long id = bound[0].id();
    progress.accept(String.format(Locale.ROOT, "bound %,d steps, %,.0f/s", steps, bindRate));
    try (ApiProbe probe = ApiProbe.start(cluster.api(0), id, steps, clock)) {
      WorkflowView[] ended = new WorkflowView[1];
      double rate = Rate.perSecond(clock, steps, () -> ended[0] = end(client, id));
      long cpu = cpuNanos() - cpuBefore;
      probe.check();
      progress.accept(String.format(Locale.ROOT, "%,.0f steps/s", rate));
      return new Round(ended[0], bindRate, rate, cpu, probe);
    }
  }

  private WorkflowView end(WorkflowClient client, long id) {
    WorkflowView view = client.await(id, WAIT);
    while (!view.state().ended()) {
      progress.accept(
          String.format(
              Locale.ROOT,
              "%,d of %,d steps",
              view.progress().succeeded(),
              view.progress().steps()));
      view = client.await(id, WAIT);
    }
    if (view.state() != WorkflowState.SUCCEEDED) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "the workflow ended as " + view.state() + ": " + view.reason());
    }
    return view;
  }

  private WorkflowGraph graph(int steps) {
    WorkflowGraph graph = new WorkflowGraph("bench");
    if (plan.single()) {
      listSteps(graph, steps);
    } else {
      layTemplates(graph, steps);
    }
    return graph;
  }

  private static void listSteps(WorkflowGraph graph, int steps) {
    TemplateDraft template =
        graph.template("step", JobDraft.program(StepJournal.NAME, "{n}").spec());
    StepHandle[] all = new StepHandle[steps];
    for (int step = 0; step < steps; step++) {
      all[step] = graph.step(null, template, Map.of("n", Integer.toString(step)));
      int[] needs = needs(step);
      for (int need : needs) {
        all[step].needs(all[need]);
      }
    }
  }

  private static int[] needs(int step) {
    return new SplittableRandom(step)
        .ints(FAN_IN, 0, Math.max(1, step))
        .filter(need -> need < step)
        .distinct()
        .toArray();
  }

  private static void layTemplates(WorkflowGraph graph, int steps) {
    TemplateDraft[] all = new TemplateDraft[(steps + ELEMENTS - 1) / ELEMENTS];
    for (int number = 0; number < all.length; number++) {
      int size = Math.min(ELEMENTS, steps - number * ELEMENTS);
      all[number] =
          graph
              .template("t" + number, JobDraft.program(StepJournal.NAME, "{n}").spec())
              .each("n", new ValueList(null, new ArrayRange(0, size - 1L, 1, 0)));
      int layer = number / LAYER;
      for (int before = (layer - 1) * LAYER; layer > 0 && before < layer * LAYER; before++) {
        all[number].needs(all[before]);
      }
    }
  }

  private long violations(StepJournal journal, int steps) {
    long violations = 0;
    if (plan.single()) {
      for (int step = 0; step < steps; step++) {
        for (int need : needs(step)) {
          if (!before(journal, need, step)) {
            violations++;
          }
        }
      }
      return violations;
    }
    int size = ELEMENTS * LAYER;
    int lastOfLayer = 0;
    for (int from = 0; from < steps; from += size) {
      int last = 0;
      for (int step = from; step < Math.min(steps, from + size); step++) {
        if (journal.beginOf(step) <= lastOfLayer) {
          violations++;
        }
        last = Math.max(last, journal.endOf(step));
      }
      lastOfLayer = last;
    }
    return violations;
  }

  private static boolean before(StepJournal journal, int need, int step) {
    return journal.endOf(need) > 0 && journal.endOf(need) < journal.beginOf(step);
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long liveHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
  }

  private static long residentPeak() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10)
        .findFirst()
        .orElse(0);
  }

  private static long whole(double value) {
    return Math.round(value);
  }

  /**
   * The outcome; the components are the fields of {@code --json}.
   *
   * @param bound steps that the workflow has
   * @param noopJobsPerSecond of single jobs in the same run
   * @param ratio of the two rates
   * @param orderViolations steps that began before all that they need had ended, or never
   * @param repetitions runs of steps beyond the first
   * @param cpuMicrosPerStep processor time of all in this process, binding included
   * @param heapLiveMb after a collection at the end
   * @param residentPeakMb of this process; 0 where it is not known
   */
  public record Result(
      int steps,
      boolean single,
      int bound,
      long bindPerSecond,
      long stepsPerSecond,
      long noopJobsPerSecond,
      double ratio,
      int succeeded,
      long orderViolations,
      int repetitions,
      double apiP99Millis,
      double apiMaxMillis,
      long cpuMicrosPerStep,
      long heapLiveMb,
      long residentPeakMb) {}

  /**
   * Shows, lists and explains at a steady rate while a workflow runs. Closing it ends its thread.
   */
  private static final class ApiProbe implements AutoCloseable {
    private static final int DIGITS = 3;

    private final ApiClient api;
    private final long workflow;
    private final int steps;
    private final Clock clock;
    // Guarded by itself.
    private final Histogram micros = new Histogram(DIGITS);
    private final Waiter waiter = new Waiter();
    private final Thread thread;
    private volatile RuntimeException failure;

    private ApiProbe(ApiClient api, long workflow, int steps, Clock clock) {
      this.api = api;
      this.workflow = workflow;
      this.steps = steps;
      this.clock = clock;
      this.thread = new Thread(this::probe, "api-probe");
    }

    static ApiProbe start(ApiClient api, long workflow, int steps, Clock clock) {
      ApiProbe probe = new ApiProbe(api, workflow, steps, clock);
      probe.thread.start();
      return probe;
    }

    private void probe() {
      SplittableRandom random = new SplittableRandom(workflow);
      String path = "/v1/workflows/" + workflow;
      try {
        for (int call = 0; !Thread.currentThread().isInterrupted(); call++) {
          switch (call % 5) {
            case 0 -> call(path);
            case 1 -> call("/v1/workflows");
            case 2 -> call(path + "/steps/" + random.nextInt(steps));
            case 3 -> call(path + "/steps?limit=100&after=" + random.nextInt(steps));
            default -> call("/v1/jobs?limit=20");
          }
          waiter.await(PROBE_INTERVAL);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        // An answer that failed would be missing in the figures.
        failure = e;
      }
    }

    private void call(String path) {
      long begin = clock.nanoTime();
      api.get(path);
      synchronized (micros) {
        micros.recordValue((clock.nanoTime() - begin) / 1_000);
      }
    }

    double millisAt(double percentile) {
      synchronized (micros) {
        return micros.getValueAtPercentile(percentile) / 1_000.0;
      }
    }

    /** Throws what ended the calls before their time. */
    void check() {
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }
}
