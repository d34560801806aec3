package io.millrace.cli.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.InterruptHooks.Registration;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.FailureDescription;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.StatusLine;
import io.millrace.cli.server.LocalCluster;
import io.millrace.cli.server.LocalCluster.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs one workflow to its end in this process. Used once. */
final class LocalRun {
  /** How soon an interruption is noticed. */
  private static final Duration POLL = Duration.ofMillis(500);

  private static final int MAX_ENDING = 100;

  private static final Duration TO_CANCEL = Duration.ofSeconds(15);
  private static final Duration TO_STOP = Duration.ofSeconds(60);

  // Steps that wait for a larger machine would never run here.
  private static final String LESS =
      "Ask for less in the file or with --resources FILE, or raise --slots: everything runs on this"
          + " machine";

  private final Invocation invocation;
  private final Optional<Path> folder;
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** With the folder that keeps its data, if it is to be kept. */
  LocalRun(Invocation invocation, Optional<Path> folder) {
    this.invocation = invocation;
    this.folder = folder;
  }

  /** Blocks until the workflow has ended or was interrupted; returns the exit code. */
  int run(WorkflowGraph graph, String runKey, String backend, Integer slots)
      throws IOException, InterruptedException {
    withoutBreakers(graph);
    LocalSettings settings =
        new LocalSettings(folder, backend, Optional.ofNullable(slots), pools(graph.prepare()));
    Registration registration = invocation.hooks().register(this::interrupt);
    try (LocalCluster cluster = LocalCluster.start(settings, invocation.clock())) {
      return run(cluster, graph, runKey);
    } finally {
      stopped.countDown();
      registration.close();
    }
  }

  // Nobody could resume a template that is paused, and the command would never end.
  private static void withoutBreakers(WorkflowGraph graph) {
    for (String template : graph.templates()) {
      graph.template(template).orElseThrow().breaker(BreakerRule.of("off"));
    }
  }

  // The process must not exit before everything was stopped.
  private void interrupt() {
    interrupted.countDown();
    try {
      if (!stopped.await(TO_STOP.toSeconds(), TimeUnit.SECONDS)) {
        invocation.note("stopping timed out; exiting");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isInterrupted() {
    return interrupted.getCount() == 0;
  }

  private int run(LocalCluster cluster, WorkflowGraph graph, String runKey)
      throws InterruptedException {
    WorkflowClient workflows = cluster.central().workflows();
    WorkflowView workflow = feasible(workflows, graph, runKey);
    StatusLine status = new StatusLine(invocation.terminal(), invocation.clock());
    try {
      while (!workflow.state().ended() && !isInterrupted()) {
        status.show("workflow: " + WorkflowFormatter.progress(workflow.progress()));
        workflow = workflows.await(workflow.id(), POLL);
      }
    } finally {
      status.end();
    }
    if (!workflow.state().ended()) {
      workflow = cancelled(workflows, workflow.id());
      invocation.note(afterInterruption());
    }
    boolean failed = workflow.progress().failed() > 0 && workflow.state() == WorkflowState.FAILED;
    if (failed && !invocation.json()) {
      FailureGroups groups = workflows.failures(workflow.id());
      new FailureDescription(groups, "failed steps", null, invocation.now()).print(invocation);
    }
    invocation.report(workflow, WorkflowFormatter.ending(workflow));
    if (workflow.state() == WorkflowState.FAILED && folder.isPresent()) {
      invocation.note("the same command tries the steps again that have not succeeded");
    }
    return workflow.state() == WorkflowState.SUCCEEDED
        ? ExitCode.OK.code()
        : ExitCode.FAILED.code();
  }

  private WorkflowView feasible(WorkflowClient workflows, WorkflowGraph graph, String runKey)
      throws InterruptedException {
    try {
      return submitted(workflows, graph, runKey);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.INFEASIBLE) {
        throw e;
      }
      throw new MillraceException(
          e.code(), e.getMessage().replace(WorkflowSubmission.INFEASIBLE_ADVICE, LESS), e);
    }
  }

  /** Submits the workflow, or continues it with this definition if the folder has it already. */
  private WorkflowView submitted(WorkflowClient workflows, WorkflowGraph graph, String runKey)
      throws InterruptedException {
    // A process that was killed while it stopped left one that takes no other definition.
    Optional<WorkflowView> ending = beingCancelled(workflows, graph);
    if (ending.isPresent()) {
      return ending.get();
    }
    ShownResumption shown = new ShownResumption();
    // A process that was killed left it running, and commands may have changed since.
    WorkflowView workflow = workflows.submit(graph, runKey, ResumeMode.HOT, shown);
    if (!shown.isUnsettled()) {
      return workflow;
    }
    // It was killed while it submitted, and only after that a definition can be replaced.
    boolean again =
        switch (workflow.state()) {
          case RUNNING, FAILED, CANCELLED -> !isInterrupted();
          case BINDING, CHECKING, CANCELLING, SUCCEEDED, REFUSED -> false;
        };
    return again
        ? workflows.submit(graph, runKey, ResumeMode.HOT, SubmissionListener.NONE)
        : workflow;
  }

  /** Waits for the end of those that are being cancelled; after an interruption, one of them. */
  private Optional<WorkflowView> beingCancelled(WorkflowClient workflows, WorkflowGraph graph) {
    String name = graph.prepare().name();
    for (WorkflowView ending :
        workflows.list(WorkflowState.CANCELLING, name, null, MAX_ENDING).workflows()) {
      WorkflowView workflow = ending;
      while (!workflow.state().ended() && !isInterrupted()) {
        workflow = workflows.await(workflow.id(), POLL);
      }
      if (isInterrupted()) {
        return Optional.of(workflow);
      }
    }
    return Optional.empty();
  }

  /** Ends what runs, so that the same command begins again with what has not succeeded. */
  private WorkflowView cancelled(WorkflowClient workflows, long id) {
    invocation.note("stopping ...");
    WorkflowView workflow = workflows.cancel(id);
    long begun = invocation.clock().nanoTime();
    while (!workflow.state().ended()
        && invocation.clock().nanoTime() - begun < TO_CANCEL.toNanos()) {
      workflow = workflows.await(id, POLL);
    }
    return workflow;
  }

  private String afterInterruption() {
    return folder.isPresent()
        ? "interrupted; the same command continues with the steps that have not succeeded"
        : "interrupted; nothing was kept. With --folder DIR, the same command would continue";
  }

  /** All pools are this machine, so that a file need not be changed for it. */
  private static Set<String> pools(WorkflowSpec workflow) {
    Set<String> pools = new TreeSet<>();
    workflow.templates().values().forEach(template -> add(template.job(), pools));
    add(workflow.onFailure(), pools);
    add(workflow.onSuccess(), pools);
    return pools;
  }

  private static void add(JobSpec job, Set<String> pools) {
    if (job != null) {
      pools.add(job.pool());
      pools.addAll(job.retry().fallback());
    }
  }

  /** Says that the folder had the workflow already. */
  private final class ShownResumption implements SubmissionListener {
    private WorkflowState found;

    /** Whether it was found while it was being submitted. */
    boolean isUnsettled() {
      return found == WorkflowState.BINDING || found == WorkflowState.CHECKING;
    }

    @Override
    public void opened(WorkflowView workflow, boolean created) {
      if (!created) {
        found = workflow.state();
        invocation.note(
            Escaping.text(
                "continuing: " + WorkflowFormatter.progress(workflow.progress()) + " before"));
      }
    }

    @Override
    public void bound(WorkflowView workflow, int listed) {
      // In the same process, that takes no time worth showing.
    }

    @Override
    public void unanswered(MillraceException failure, Duration pause) {
      invocation.note(WorkflowAwaiter.unanswered(failure, pause));
    }
  }
}
