package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.WorkflowGraph;
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
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Measures workflows of steps that do nothing: binding, the run, and the answers of the API
 * meanwhile, beside jobs that do nothing in the same run. Not thread-safe.
 */
public final class WorkflowsBench {
  private static final double MILLI = 1e6;
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
   * @param single whether each step is listed by itself; see {@link BenchGraph}
   * @param warmUp steps of a workflow that runs before and is not measured
   * @param cluster nodes, slots and folder
   */
  public record Plan(int steps, boolean single, int warmUp, JobsBenchPlan cluster) {}

  public WorkflowsBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until the workflow has ended. */
  public Result run() throws IOException, InterruptedException {
    StepJournal journal = new StepJournal();
    try (JobsCluster cluster = JobsCluster.start(plan.cluster(), clock, List.of(journal))) {
      warmUp(cluster, journal);
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
          new BenchGraph(plan.steps(), plan.single()).violations(journal),
          journal.repetitions(),
          round.probe().millisAt(99),
          round.probe().millisAt(100),
          Math.round(round.cpuNanos() / 1e3 / plan.steps()),
          liveHeap(),
          residentPeak());
    }
  }

  /**
   * Binds the workflow and cancels it at once, which shows what a graph takes that is larger than
   * anybody waits for; blocks until it has ended.
   */
  public BindResult bind() throws IOException, InterruptedException {
    StepJournal journal = new StepJournal();
    try (JobsCluster cluster = JobsCluster.start(plan.cluster(), clock, List.of(journal))) {
      warmUp(cluster, journal);
      journal.begin(plan.steps());
      WorkflowClient client = new WorkflowClient(cluster.api(0));
      BoundWorkflow bound = bind(client, plan.steps());
      long begin = clock.nanoTime();
      client.cancel(bound.view().id());
      WorkflowView ended = awaitEnd(client, bound.view().id());
      return new BindResult(
          plan.steps(),
          plan.single(),
          ended.progress().steps(),
          whole(bound.perSecond()),
          ended.state(),
          Math.round((clock.nanoTime() - begin) / MILLI) / 1e3,
          liveHeap(),
          residentPeak());
    }
  }

  private void warmUp(JobsCluster cluster, StepJournal journal) throws InterruptedException {
    if (plan.warmUp() > 0) {
      progress.accept("warming up");
      round(cluster, journal, plan.warmUp());
    }
  }

  private record BoundWorkflow(WorkflowView view, double perSecond) {}

  private BoundWorkflow bind(WorkflowClient client, int steps) throws InterruptedException {
    WorkflowGraph graph = new BenchGraph(steps, plan.single()).graph();
    WorkflowView[] bound = new WorkflowView[1];
    String key = Long.toString(clock.nanoTime());
    double rate =
        Rate.perSecond(
            clock, steps, () -> bound[0] = client.submit(graph, key, SubmissionListener.NONE));
    progress.accept(String.format(Locale.ROOT, "bound %,d steps, %,.0f/s", steps, rate));
    return new BoundWorkflow(bound[0], rate);
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
    WorkflowClient client = new WorkflowClient(cluster.api(0));
    long cpuBefore = cpuNanos();
    BoundWorkflow bound = bind(client, steps);
    long id = bound.view().id();
    try (ApiProbe probe = ApiProbe.start(cluster.api(0), id, steps, clock)) {
      WorkflowView[] ended = new WorkflowView[1];
      double rate = Rate.perSecond(clock, steps, () -> ended[0] = end(client, id));
      long cpu = cpuNanos() - cpuBefore;
      probe.check();
      progress.accept(String.format(Locale.ROOT, "%,.0f steps/s", rate));
      return new Round(ended[0], bound.perSecond(), rate, cpu, probe);
    }
  }

  private WorkflowView end(WorkflowClient client, long id) {
    WorkflowView view = awaitEnd(client, id);
    if (view.state() != WorkflowState.SUCCEEDED) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "the workflow ended as " + view.state() + ": " + view.reason());
    }
    return view;
  }

  private WorkflowView awaitEnd(WorkflowClient client, long id) {
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
    return view;
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
   * @param orderViolations steps that never began, or began before all that they need had ended
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
   * The outcome of a binding without a run; the components are the fields of {@code --json}.
   *
   * @param bound steps that the workflow has
   * @param state in which it ended after it was cancelled
   * @param cancelSeconds from the cancellation until it had ended
   * @param heapLiveMb after a collection at the end
   * @param residentPeakMb of this process; 0 where it is not known
   */
  public record BindResult(
      int steps,
      boolean single,
      int bound,
      long bindPerSecond,
      WorkflowState state,
      double cancelSeconds,
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
