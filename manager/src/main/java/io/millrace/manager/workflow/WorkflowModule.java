package io.millrace.manager.workflow;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.WakeUps;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.database.Database;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.List;

/** Composes the handling of workflows of one central manager. */
public final class WorkflowModule {
  private static final Duration CLAIM = Duration.ofSeconds(10);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private static final Duration WATCHING = Duration.ofMillis(250);
  private static final Duration DELETING = Duration.ofMinutes(1);
  private static final Duration DELETING_CLAIM = Duration.ofMinutes(5);

  private final ClaimedDuty activation;
  private final ClaimedDuty release;
  private final WorkflowBinding binding;
  private final WorkflowControl control;
  private final WorkflowResumption resumption;
  private final StatusOverrides status;
  private final WorkflowViews views;
  private final StepQueries steps;
  private final ResourceQueries resources;
  private final CriticalPaths paths;
  private final StepTimelines timelines;
  private final UsageSamples usages;
  private final ClaimedDuty retention;
  private final ClaimedDuty watch;
  private final Database database;

  /**
   * @param keep how long workflows are kept after their end
   */
  public WorkflowModule(
      Database database,
      ClaimDao claims,
      String claimant,
      JobLedger ledger,
      JobArrays arrays,
      StepElements elements,
      JobQueries queries,
      WakeUps wakeUps,
      Duration keep) {
    WorkflowRevisions revisions = elements.revisions();
    this.release =
        new ClaimedDuty(
            "release-steps",
            claimant,
            CLAIM,
            INTERVAL,
            claims,
            new StepRelease(
                database, claims, ledger, wakeUps, revisions, ReleaseRound.MAX_TOUCHED));
    this.activation =
        new ClaimedDuty(
            // As earlier versions call it: servers of two versions share the claim.
            "check-workflows",
            claimant,
            GraphActivation.CLAIM,
            INTERVAL,
            claims,
            new GraphActivation(database, claims, wakeUps, revisions));
    this.database = database;
    this.watch =
        new ClaimedDuty(
            "watch-workflows",
            claimant,
            CLAIM,
            WATCHING,
            claims,
            new WorkflowWatch(database, claims, arrays, wakeUps, revisions));
    this.control = new WorkflowControl(database, arrays, wakeUps);
    this.resumption =
        new WorkflowResumption(database, ledger, arrays, wakeUps, revisions, StepNumbers.MAX_STEPS);
    this.status = new StatusOverrides(database, wakeUps, revisions, ReleaseRound.MAX_TOUCHED);
    this.binding = new WorkflowBinding(database, resumption, wakeUps, revisions, ledger.webhooks());
    this.views = new WorkflowViews(database, wakeUps, revisions);
    this.steps = new StepQueries(database, queries, revisions);
    this.resources = new ResourceQueries(database, revisions);
    this.paths = new CriticalPaths(database, revisions);
    this.timelines = new StepTimelines(database, revisions);
    this.usages = new UsageSamples(database, revisions);
    this.retention =
        new ClaimedDuty(
            "delete-old-workflows",
            claimant,
            DELETING_CLAIM,
            DELETING,
            claims,
            new WorkflowRetention(database, claims, control, keep));
    ledger.watch(new StepEndRecorder(wakeUps));
    wakeUps.whenWorkflowChanged(release::wake);
    wakeUps.whenWorkflowChanged(activation::wake);
    ledger.actions().restrict(new StepJobRule());
  }

  public WorkflowBinding binding() {
    return binding;
  }

  public WorkflowControl control() {
    return control;
  }

  public WorkflowResumption resumption() {
    return resumption;
  }

  public StatusOverrides status() {
    return status;
  }

  public WorkflowViews views() {
    return views;
  }

  public StepQueries steps() {
    return steps;
  }

  public ResourceQueries resources() {
    return resources;
  }

  public CriticalPaths paths() {
    return paths;
  }

  public StepTimelines timelines() {
    return timelines;
  }

  /** Problems of workflows. */
  public List<Alert> problems() {
    return database.read(new TemplateBreakers()::alerts);
  }

  public UsageSamples usages() {
    return usages;
  }

  /** The services, in the order in which they are to be started. */
  public List<Service> services() {
    return List.of(activation, release, watch, retention);
  }
}
