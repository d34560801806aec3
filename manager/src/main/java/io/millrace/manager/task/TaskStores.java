package io.millrace.manager.task;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;

/** The tables of tasks and the clock they are timed by. Thread-safe. */
public record TaskStores(
    Database database,
    DatabaseTime time,
    ScheduleStore schedules,
    RunStore runs,
    WorkerRowStore workers,
    LentChunkStore lent,
    ChunkStore chunks) {
  public static TaskStores of(Database database) {
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
