package io.millrace.queuenode.agent;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.platform.membership.ClusterView;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all queue nodes, this one included, say of themselves in the cluster view. Thread-safe. */
final class NodeReports {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeReports.class);

  private final ClusterView view;

  NodeReports(ClusterView view) {
    this.view = view;
  }

  /** The fresh reports, by the node's name; never blocks for long. */
  Map<String, QueueNodeReport> fresh() {
    Map<String, QueueNodeReport> fresh = new HashMap<>();
    view.entries(ClusterView.QUEUE_NODES)
        .forEach(
            (name, entry) -> {
              try {
                fresh.put(name, Json.read(entry.json(), QueueNodeReport.class));
              } catch (MillraceException e) {
                // A hint that nobody can read is no hint: as good as silent.
                LOGGER.debug("what {} says in the cluster view is not readable", name, e);
              }
            });
    return fresh;
  }
}
