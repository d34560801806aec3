package io.millrace.manager.app;

import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.job.DefinedJobs.DefinedJobKind;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.platform.clock.Clock;
import java.util.List;

/** The kinds of definitions, the same for applying and for checking. */
public final class KnownKinds {
  private KnownKinds() {}

  /**
   * All kinds.
   *
   * @param clock by which schedules are over
   */
  public static DefinitionKinds all(Clock clock) {
    return new DefinitionKinds(
        List.of(new QueueKind(), new TaskKind(clock), new DefinedJobKind(clock)));
  }
}
