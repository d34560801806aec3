package io.millrace.platform.membership;

import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.Map;

/**
 * The nodes' own reports as received by this process (H-058, H-059). Advisory only: the database is
 * authoritative. Thread-safe; no method but start and stop blocks.
 */
public interface ClusterView extends Service {
  /** How long an entry is valid after it was last received. */
  Duration STALE_AFTER = Duration.ofSeconds(5);

  /** The topic of queue nodes: each publishes its report every second under its name. */
  String QUEUE_NODES = "queue-nodes";

  /** Publishes a report repeatedly; the JSON replaces what was published under the key. */
  void publish(String topic, String key, String json);

  /** Withdraws what was published under the key. */
  void withdraw(String topic, String key);

  /** The fresh entries, by key. Their age is measured by this process's monotonic clock. */
  Map<String, Entry> entries(String topic);

  /**
   * One publisher's report.
   *
   * @param json as published
   * @param age since it was received here
   */
  record Entry(String json, Duration age) {}
}
