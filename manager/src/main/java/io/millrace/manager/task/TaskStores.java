package io.millrace.manager.task;

import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.task.store.ChunkStore;
import io.millrace.manager.task.store.LentChunkStore;
import io.millrace.manager.task.store.RunStore;
import io.millrace.manager.task.store.ScheduleStore;
import io.millrace.manager.task.store.WorkerRowStore;
import io.millrace.platform.database.Database;

/** The tables of tasks and the clock they are timed by. Thread-safe. */
record TaskStores(
    Database database,
    DatabaseTime time,
    ScheduleStore schedules,
    RunStore runs,
    WorkerRowStore workers,
    LentChunkStore lent,
    ChunkStore chunks) {
  static TaskStores of(Database database) {
    return new TaskStores(
        database,
        new DatabaseTime(database.dialect()),
        new ScheduleStore(),
        new RunStore(),
        new WorkerRowStore(),
        new LentChunkStore(),
        new ChunkStore());
  }
}
