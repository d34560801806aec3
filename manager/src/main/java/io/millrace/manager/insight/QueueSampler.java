package io.millrace.manager.insight;

import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.List;

/** Adds a point to the history of every queue; runs as a claimed duty. */
public final class QueueSampler {
  private final Database database;
  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final QueueCatalog catalog;

  public QueueSampler(
      Database database, QueueDefinitions definitions, QueueNodes nodes, QueueCatalog catalog) {
    this.database = database;
    this.definitions = definitions;
    this.nodes = nodes;
    this.catalog = catalog;
  }

  /** One sample of each queue. Blocks. */
  public void sample() {
    List<VersionedQueue> queues = definitions.all();
    QueueViews views = catalog.material(nodes.all());
    Instant now = database.now();
    database.transaction(
        handle -> {
          queues.forEach(
              queue -> SampleDao.add(handle, views.sample(queue.definition().name(), now)));
          return null;
        });
  }
}
