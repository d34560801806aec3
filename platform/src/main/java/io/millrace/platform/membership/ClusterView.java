package io.millrace.platform.membership;

import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.ReportVerifier;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * The nodes' own reports as received by this process (H-058, H-059). Advisory only: the database is
 * authoritative. Thread-safe; no method but start and stop blocks.
 */
public interface ClusterView extends Service {
  /** How long an entry is valid after it was last received. */
  Duration STALE_AFTER = Duration.ofSeconds(5);

  /** The topic of queue nodes: each publishes its report every second under its name. */
  String QUEUE_NODES = "queue-nodes";

  /**
   * Accepts what queue nodes of this cluster have signed; nothing is received before. Called before
   * the start, and again with the same key by further nodes of the process.
   */
  void verifyBy(ReportVerifier reports);

  /** Signs what is published under the signer's name; a node publishes only under its own. */
  void signBy(ReportSigner signer);

  /**
   * Joins these processes in addition to those configured, in place of those of the last call; what
   * is not the address of a member in a private network is ignored.
   *
   * @param members their {@link #address()}, as the central managers name them (H-058)
   */
  void join(Collection<String> members);

  /** Where other processes reach this view, {@code host:port}; empty while they cannot. */
  Optional<String> address();

  /** Publishes a report repeatedly; the JSON replaces what was published under the key. */
  void publish(String topic, String key, String json);

  /** Withdraws what was published under the key. */
  void withdraw(String topic, String key);

  /**
   * The fresh entries, by key, each as the node of that name signed it. Their age is measured by
   * this process's monotonic clock.
   */
  Map<String, Entry> entries(String topic);

  /**
   * One publisher's report.
   *
   * @param json as published
   * @param age since it was received here
   */
  record Entry(String json, Duration age) {}
}
