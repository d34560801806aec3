package io.millrace.manager.task;

import io.millrace.api.task.TaskDefinition;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The chunks of runs that were never started. Thread-safe; runs in the caller's transaction. */
final class RunChunks {
  private final TaskStores stores;

  RunChunks(TaskStores stores) {
    this.stores = stores;
  }

  /** The chunks after the cursor; nulls for work without chunks. */
  List<String> texts(Handle handle, RunRow run, TaskDefinition task, int count) {
    int most = (int) Math.min(count, run.total() - run.nextChunk());
    if (most <= 0) {
      return List.of();
    }
    if (task.partition() != null || (task.chunks() != null && task.chunks().command() != null)) {
      return stores.chunks().from(handle, run.id(), run.nextChunk(), most);
    }
    if (task.chunks() != null) {
      return ChunkSource.from(task.chunks(), run.nextChunk(), most);
    }
    List<String> none = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      none.add(null);
    }
    return none;
  }
}
