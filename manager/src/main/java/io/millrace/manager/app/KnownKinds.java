package io.millrace.manager.app;

import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.queue.QueueKind;
import io.millrace.manager.task.TaskKind;
import java.util.List;

/** The kinds that definition files may hold, the same for applying and for checking. */
public final class KnownKinds {
  private KnownKinds() {}

  /** All of them. */
  public static DefinitionKinds all() {
    return new DefinitionKinds(List.of(new QueueKind(), new TaskKind()));
  }
}
