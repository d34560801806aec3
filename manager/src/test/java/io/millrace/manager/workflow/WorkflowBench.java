package io.millrace.manager.workflow;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Workflows of one central manager on a database of its own, driven step by step: each round
 * releases, places, starts and ends all that can be, and keeps the order in which steps ran.
 */
final class WorkflowBench implements AutoCloseable {
  private static final int MAX_ROUNDS = 2000;

  private static final String CHECKING = "check-workflows";

  /** Steps that are set back at once. */
  private static final int PART = 20;

  final JobBench jobs;
  final WorkflowControl control;
  final WorkflowResumption resets;
  final StatusOverrides status;
  final WorkflowBinding binding;
  final WorkflowViews views;
  final StepQueries steps;
  final CriticalPaths paths;
  final StepTimelines timelines;

  /** The steps that ended, by number, in the order in which they did. */
  final List<Integer> ended = new ArrayList<>();

  /** Whether steps that succeed write nothing to their error output, so that no rows are left. */
  boolean silent;

  /** What a step that succeeds is measured to use, by number; null for nothing. */
  IntFunction<Usage> measured = step -> null;

  /** The most steps that had been started and not ended at the same time. */
  int mostAtOnce;

  /** What a step gives to others, by number; null for nothing. */
  IntFunction<Map<String, String>> outputs = step -> null;

  private final GraphActivation checks;
  private final StepRelease release;
  private final StepRelease otherRelease;
  private final WorkflowRetention retention;
  private WorkflowWatch watch;

  WorkflowBench(int slots) {
    this(slots, ReleaseRound.MAX_TOUCHED);
  }

  /**
   * One with that many slots on each of two nodes.
   *
   * @param maxTouched steps that the openings of one round look at, roughly
   */
  WorkflowBench(int slots, int maxTouched) {
    // Nodes do not report between rounds, which may take long on a busy machine.
    this.jobs = new JobBench(new Heartbeat(Duration.ofSeconds(1), Duration.ofHours(1)));
    jobs.employ(JobBench.E1, "e1", slots);
    jobs.employ(JobBench.E2, "e2", slots);
    WorkflowRevisions revisions = jobs.stepElements.revisions();
    this.checks = new GraphActivation(jobs.database, jobs.claims, jobs.wakeUps, revisions);
    this.release =
        new StepRelease(
            jobs.database, jobs.claims, jobs.ledger, jobs.wakeUps, revisions, maxTouched);
    restartWatch();
    this.otherRelease =
        new StepRelease(
            jobs.database,
            jobs.claims,
            jobs.ledger,
            jobs.wakeUps,
            new WorkflowRevisions(),
            maxTouched);
    this.control = new WorkflowControl(jobs.database, jobs.arrays, jobs.wakeUps);
    this.retention = new WorkflowRetention(jobs.database, jobs.claims, control, Duration.ZERO);
    this.resets =
        new WorkflowResumption(
            jobs.database, jobs.ledger, jobs.arrays, jobs.wakeUps, revisions, PART);
    this.status = new StatusOverrides(jobs.database, jobs.wakeUps, revisions, maxTouched);
    this.binding =
        new WorkflowBinding(jobs.database, resets, jobs.wakeUps, revisions, jobs.ledger.webhooks());
    this.views = new WorkflowViews(jobs.database, jobs.wakeUps, revisions);
    this.steps = new StepQueries(jobs.database, jobs.queries, revisions);
    this.paths = new CriticalPaths(jobs.database, revisions);
    this.timelines = new StepTimelines(jobs.database, revisions);
    jobs.ledger.watch(new StepEndRecorder(jobs.wakeUps));
    jobs.ledger.actions().restrict(new StepJobRule());
  }

  /** What it does not have in the database is lost. */
  void restartWatch() {
    watch = newWatch();
  }

  private WorkflowWatch newWatch() {
    return new WorkflowWatch(
        jobs.database, jobs.claims, jobs.arrays, jobs.wakeUps, jobs.stepElements.revisions());
  }

  List<Alert> problems() {
    return jobs.database.read(new TemplateBreakers()::alerts);
  }

  static StepTemplate template(JobSpec job, Map<String, ValueList> each, StepNeed... needs) {
    return new StepTemplate(job, each, false, List.of(needs), null);
  }

  static StepTemplate listed(JobSpec job, StepNeed... needs) {
    return new StepTemplate(job, null, true, List.of(needs), null);
  }

  static JobSpec command(String... argv) {
    return JobDraft.command(argv).spec();
  }

  static JobSpec retried(int retries, String... argv) {
    return JobDraft.command(argv)
        .retry(RetryPolicy.upTo(retries, Duration.ZERO, Duration.ZERO))
        .spec();
  }

  static WorkflowSpec workflow(Map<String, StepTemplate> templates) {
    return new WorkflowSpec("w", null, templates, null, false, null, 0, null, null, null);
  }

  static ListedStep step(String template, String argument, Integer... needs) {
    return new ListedStep(null, template, Map.of("x", argument), List.of(needs), null);
  }

  long submit(WorkflowSpec workflow) {
    return submit(workflow, "", List.of());
  }

  long submit(WorkflowSpec workflow, String runKey, List<ListedStep> steps) {
    WorkflowIdentity identity = new WorkflowIdentity(workflow, runKey);
    steps.forEach(identity::add);
    WorkflowView begun =
        binding
            .begin(
                "ann",
                new WorkflowSubmission(
                    workflow, runKey, steps.size(), steps.isEmpty() ? null : identity.hash()))
            .view();
    int fixed = WorkflowPlan.of(workflow).fixedSteps();
    for (int from = begun.progress().bound(); from < steps.size(); from += 1000) {
      binding.add(
          begun.id(),
          new StepChunk(fixed + from, steps.subList(from, Math.min(steps.size(), from + 1000))));
    }
    return binding.commit(begun.id()).id();
  }

  /** Submits a graph as the client does, by its chunks. */
  long submit(WorkflowGraph graph, String runKey) {
    WorkflowView view = binding.begin("ann", graph.submission(runKey)).view();
    while (view.state() == WorkflowState.BINDING) {
      int bound = view.progress().bound();
      view =
          bound < graph.listedSteps()
              ? binding.add(view.id(), graph.chunk(bound))
              : binding.commit(view.id());
    }
    return view.id();
  }

  /** Runs until nothing changes any more; each step ends as the function says. */
  WorkflowView run(long workflow, Function<StepRun, Outcome> outcomes) {
    int quiet = 0;
    for (int round = 0; round < MAX_ROUNDS && quiet < 3; round++) {
      quiet = round(outcomes) ? 0 : quiet + 1;
    }
    return views.view(workflow);
  }

  WorkflowView run(long workflow) {
    return run(workflow, step -> Outcome.SUCCEEDED);
  }

  /** A step that is running. */
  record StepRun(int step, int attempt, List<String> command, Map<String, String> env) {}

  /** Checks graphs, so that their workflows may begin to run. */
  void check() {
    checks.run(claim(CHECKING));
  }

  void drive() {
    check();
    release.run(claim("release-steps"));
    watch.run(claim("watch-workflows"));
    jobs.arrays.reconciler().run();
  }

  /** One transaction of the release, by one of two central managers; false if nothing is left. */
  boolean piece(long workflow, boolean first) {
    return (first ? release : otherRelease).round(claim("release-steps"), workflow);
  }

  /** What a central manager does that has lost its claims to another one and does not know. */
  void driveAfterLosingClaims(long workflow) {
    Claim checking = claim(CHECKING);
    Claim releasing = claim("release-steps");
    Claim watching = claim("watch-workflows");
    Claim deleting = claim("delete-old-workflows");
    loseClaims();
    checks.run(checking);
    release.round(releasing, workflow);
    release.run(releasing);
    // It remembers nothing that would save it from trying.
    newWatch().run(watching);
    retention.run(deleting);
    regainClaims();
  }

  /**
   * Checks graphs, and loses the claim to another central manager after some transactions.
   *
   * @param then what takes place right after the loss
   * @return false if there were fewer, and all has been checked
   */
  boolean checkLosingTheClaim(int transactions, Runnable then) {
    Claim checking = claim(CHECKING);
    boolean lost =
        BetweenTransactions.run(
            jobs.database,
            transactions,
            () -> {
              loseClaims();
              then.run();
            },
            () -> checks.run(checking));
    regainClaims();
    return lost;
  }

  private void loseClaims() {
    jobs.database.transaction(
        handle -> handle.execute("update claim set claimant = 'other', term = term + 1"));
  }

  private void regainClaims() {
    jobs.database.transaction(handle -> handle.execute("update claim set claimant = 'test'"));
  }

  /** Deletes all workflows that have ended. */
  void deleteEnded() {
    retention.run(claim("delete-old-workflows"));
  }

  boolean round(Function<StepRun, Outcome> outcomes) {
    drive();
    int placed = jobs.place();
    int done = 0;
    for (var node : List.of(JobBench.E1, JobBench.E2)) {
      List<AttemptId> attempts = jobs.recorded(node);
      int atOnce = jobs.recorded(JobBench.E1).size() + jobs.recorded(JobBench.E2).size();
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      jobs.handOut(node);
      List<AttemptReport> starts = attempts.stream().map(JobBench::started).toList();
      Map<AttemptId, StepRun> runs = new LinkedHashMap<>();
      attempts.forEach(attempt -> runs.put(attempt, stepRun(attempt)));
      jobs.reports.take(node, starts);
      List<AttemptReport> ends = new ArrayList<>();
      for (AttemptId attempt : attempts) {
        StepRun run = runs.get(attempt);
        Outcome outcome = outcomes.apply(run);
        if (outcome != null) {
          int exitCode = outcome == Outcome.SUCCEEDED ? 0 : 1;
          AttemptReport end =
              outcome == Outcome.SUCCEEDED
                  ? success(attempt, measured.apply(run.step()))
                  : JobBench.ended(attempt, outcome, exitCode, 1);
          ends.add(end.withOutputs(outputs.apply(run.step())));
          if (outcome == Outcome.SUCCEEDED) {
            ended.add(run.step());
          }
        }
      }
      jobs.reports.take(node, ends);
      done += ends.size();
    }
    return placed + done > 0;
  }

  private AttemptReport success(AttemptId attempt, Usage usage) {
    String words = silent ? null : "last words";
    AttemptResult result =
        new AttemptResult(
            Outcome.SUCCEEDED, 0, null, null, words, silent ? 0 : 5, 1, usage, null, null);
    return AttemptReport.ended(attempt, result, 1, 0);
  }

  private StepRun stepRun(AttemptId attempt) {
    JobDetails job = jobs.queries.details(attempt.job());
    JobSpec spec = job.spec();
    String step = spec.env().get("MILLRACE_STEP");
    return new StepRun(
        step == null ? -1 : Integer.parseInt(step), attempt.number(), spec.command(), spec.env());
  }

  private Claim claim(String resource) {
    return jobs.claims.acquireOrRenew(resource, "test", Duration.ofMinutes(1)).orElseThrow();
  }

  @Override
  public void close() {
    jobs.close();
  }
}
