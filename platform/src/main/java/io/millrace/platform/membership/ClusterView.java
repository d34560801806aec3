package io.millrace.platform.membership;

import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.Map;

/**
 * What every node says of itself, as seen from here (H-058, H-059). A hint only: truth is in the
 * database. Thread-safe; no method but start and stop blocks.
 */
public interface ClusterView extends Service {
  /** How long an entry counts after it was heard last. */
  Duration STALE_AFTER = Duration.ofSeconds(5);

  /** The topic of queue nodes: each publishes its report every second under its name. */
  String QUEUE_NODES = "queue-nodes";

  /** Says something of oneself, again and again; the JSON replaces what was said under the key. */
  void publish(String topic, String key, String json);

  /** Takes back what was said under the key. */
  void withdraw(String topic, String key);

  /** What is fresh, by key. Age is told by this process's monotonic clock. */
  Map<String, Entry> entries(String topic);

  /**
   * What one publisher said.
   *
   * @param json as published
   * @param age since it was heard here
   */
  record Entry(String json, Duration age) {}
}
