package io.millrace.tests.task;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.app.TaskModule;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.partition.PoolMembers;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.task.RunObserver;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
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
    TaskModule tasks =
        new TaskModule(
            new TaskModule.Shared(
                database,
                definitions,
                new JobLedger(
                    database, wakeUps, new ShapeDao(database.dialect(), new SystemClock())),
                wakeUps,
                new ClaimDao(database),
                claimant,
                RunObserver.NONE),
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
