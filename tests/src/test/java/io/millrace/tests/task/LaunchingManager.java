package io.millrace.tests.task;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.app.TaskModule;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.partition.PoolMembers;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.task.RunObserver;
import io.millrace.manager.workflow.StepElements;
import io.millrace.manager.workflow.WorkflowModule;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import java.time.Duration;
import java.util.List;

/** The task part of a central manager with its own connections, so that it can be killed. */
final class LaunchingManager {
  private final Database database;
  private final Definitions definitions;
  private final Service services;

  LaunchingManager(DatabaseSettings settings, String claimant) {
    database = Database.open(settings, List.of("platform", "central"));
    WakeUps wakeUps = new WakeUps();
    definitions = new Definitions(database, KnownKinds.all(new SystemClock()), () -> {});
    JobLedger ledger =
        new JobLedger(database, wakeUps, new ShapeDao(database.dialect(), new SystemClock()));
    ClaimDao claims = new ClaimDao(database);
    StepElements elements = new StepElements();
    WorkflowModule workflows =
        new WorkflowModule(
            database,
            claims,
            claimant,
            ledger,
            new JobArrays(database, ledger, wakeUps, elements),
            elements,
            new JobQueries(database, wakeUps),
            wakeUps,
            Duration.ofDays(7));
    TaskModule tasks =
        new TaskModule(
            new TaskModule.Shared(
                database,
                definitions,
                ledger,
                wakeUps,
                claims,
                claimant,
                RunObserver.NONE,
                workflows),
            job -> List.of(),
            new PoolMembers(List::of));
    services = new ServiceGroup(tasks.services());
    services.start();
  }

  void apply(ApplyRequest request) {
    definitions.apply(request, "drill");
  }

  /** Cuts its connections at any point, so that its claims remain. */
  void kill() {
    database.close();
    services.stop();
  }
}
