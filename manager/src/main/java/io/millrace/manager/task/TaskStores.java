package io.millrace.manager.task;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;

/** The tables of tasks and the clock they are timed by. Thread-safe. */
public record TaskStores(
    Database database,
    DatabaseTime time,
    ScheduleDao schedules,
    RunDao runs,
    TaskWorkerDao workers,
    LentChunkDao lent,
    ChunkDao chunks) {
  public static TaskStores of(Database database) {
    return new TaskStores(
        database,
        new DatabaseTime(database.dialect()),
        new ScheduleDao(),
        new RunDao(),
        new TaskWorkerDao(),
        new LentChunkDao(),
        new ChunkDao());
  }
}
