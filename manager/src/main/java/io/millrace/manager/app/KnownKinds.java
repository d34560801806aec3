package io.millrace.manager.app;

import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import java.util.List;

/** The kinds of definitions, the same for applying and for checking. */
public final class KnownKinds {
  private KnownKinds() {}

  /** All kinds. */
  public static DefinitionKinds all() {
    return new DefinitionKinds(List.of(new QueueKind(), new TaskKind()));
  }
}
