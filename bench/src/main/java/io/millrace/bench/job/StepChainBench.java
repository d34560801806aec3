package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Measures a workflow whose steps need one another in a line: how long after the end of a step the
 * next one begins. The steps are a built-in program that reads the clock. Not thread-safe.
 */
public final class StepChainBench {
  private static final int WARM_UP = 500;
  private static final long MICRO = 1_000;
  private static final int DIGITS = 3;
  private static final Duration WAIT = Duration.ofSeconds(30);

  private final JobsBenchPlan plan;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * A benchmark that has not started.
   *
   * @param plan whose jobs are the steps of the chain
   * @param progress receives a line for each phase
   */
  public StepChainBench(JobsBenchPlan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until the last step has ended. */
  public Result run() throws IOException, InterruptedException {
    Times times = new Times(Math.max(WARM_UP, plan.jobs()), clock);
    try (JobsCluster cluster = JobsCluster.start(plan, clock, List.of(times))) {
      WorkflowClient client = new WorkflowClient(cluster.api(0));
      progress.accept("warming up");
      chain(client, WARM_UP);
      progress.accept("running the chain");
      chain(client, plan.jobs());
    }
    Histogram hops = new Histogram(DIGITS);
    for (int step = 1; step < plan.jobs(); step++) {
      hops.recordValue((times.begins.get(step) - times.ends.get(step - 1)) / MICRO);
    }
    return new Result(
        plan.jobs(),
        millis(hops.getValueAtPercentile(50)),
        millis(hops.getValueAtPercentile(99)),
        millis(hops.getMaxValue()));
  }

  private void chain(WorkflowClient client, int steps) throws InterruptedException {
    WorkflowGraph graph = new WorkflowGraph("chain");
    TemplateDraft template = graph.template("link", JobDraft.program(Times.NAME, "{n}").spec());
    StepHandle before = null;
    for (int step = 0; step < steps; step++) {
      StepHandle link = graph.step(null, template, Map.of("n", Integer.toString(step)));
      if (before != null) {
        link.needs(before);
      }
      before = link;
    }
    WorkflowView view =
        client.submit(graph, Long.toString(clock.nanoTime()), SubmissionListener.NONE);
    while (!view.state().ended()) {
      view = client.await(view.id(), WAIT);
    }
    if (view.state() != WorkflowState.SUCCEEDED) {
      throw new MillraceException(
          ErrorCode.INTERNAL,
          "workflow %d is %s: %s"
              .formatted(view.id(), MessageText.of(view.state()), view.reason()));
    }
  }

  private static double millis(long micros) {
    return Math.round(micros / 10.0) / 100.0;
  }

  /**
   * The outcome; the components are the fields of {@code --json}.
   *
   * @param steps of the chain
   * @param hopP50Millis from the end of a step's program to the begin of the next one's
   * @param hopP99Millis 99th percentile
   * @param hopMaxMillis maximum
   */
  public record Result(int steps, double hopP50Millis, double hopP99Millis, double hopMaxMillis) {}

  /** Notes when each step began and ended, by the monotonic clock. Thread-safe. */
  private static final class Times implements BuiltinProgram {
    private static final String NAME = "step-times";

    private final AtomicLongArray begins;
    private final AtomicLongArray ends;
    private final Clock clock;

    private Times(int steps, Clock clock) {
      this.begins = new AtomicLongArray(steps);
      this.ends = new AtomicLongArray(steps);
      this.clock = clock;
    }

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public int run(ProgramContext context) {
      int step = Integer.parseInt(context.environment().get("MILLRACE_STEP"));
      begins.set(step, clock.nanoTime());
      ends.set(step, clock.nanoTime());
      return 0;
    }
  }
}
