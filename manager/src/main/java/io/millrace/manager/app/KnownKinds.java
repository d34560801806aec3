package io.millrace.manager.app;

import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.job.DefinedJobs.DefinedJobKind;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.platform.clock.Clock;
import java.util.List;

/** The kinds of definitions, the same for applying and for checking. */
public final class KnownKinds {
  private KnownKinds() {}

  /**
   * All kinds, where the settings of central managers are not known.
   *
   * @param clock by which schedules are over
   */
  public static DefinitionKinds all(Clock clock) {
    return all(clock, WebhookRule.ANY);
  }

  /** All kinds, for a central manager that never calls some webhooks. */
  public static DefinitionKinds all(Clock clock, WebhookRule webhooks) {
    return new DefinitionKinds(
        List.of(
            new QueueKind(webhooks),
            new TaskKind(clock, webhooks),
            new DefinedJobKind(clock, webhooks)));
  }
}
