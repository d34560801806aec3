package io.millrace.api.queue;

import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import java.net.URI;
import java.util.List;
import java.util.UUID;

/**
 * A queue node's report, every second: to the database through a central manager (its lease) and to
 * the cluster view.
 *
 * @param id the node's id, which never changes
 * @param name the node's name, unique in the cluster
 * @param address where its API answers
 * @param load its load and state
 * @param capacity relative capacity for balancing: the configured one times the measured speed
 * @param configuredCapacity from its configuration, 1 for an ordinary node
 * @param segments all segments it holds, including those without weight
 * @param shortage why it should shed load and cannot; null otherwise
 * @param member where other processes reach its part of the cluster view, {@code host:port}; null
 *     while they cannot
 * @param closures its part in the deletions of queues that are not done
 * @param full why it accepts no events: its disk is nearly full; null if it does
 */
public record QueueNodeReport(
    UUID id,
    String name,
    URI address,
    NodeLoad load,
    double capacity,
    double configuredCapacity,
    List<SegmentFigures> segments,
    String shortage,
    String member,
    List<SegmentClosure> closures,
    String full) {
  /**
   * The header of the answer to a report: how long the node may serve sessions, counted from before
   * it began to send the report.
   */
  public static final String LEASE_HEADER = "millrace-lease";

  public QueueNodeReport {
    segments = segments == null ? List.of() : List.copyOf(segments);
    closures = closures == null ? List.of() : List.copyOf(closures);
  }

  /** The report of a node whose cluster view others cannot reach, without deletions. */
  public QueueNodeReport(
      UUID id,
      String name,
      URI address,
      NodeLoad load,
      double capacity,
      double configuredCapacity,
      List<SegmentFigures> segments,
      String shortage) {
    this(id, name, address, load, capacity, configuredCapacity, segments, shortage, null);
  }

  /** The report of a node without deletions whose disk has space. */
  public QueueNodeReport(
      UUID id,
      String name,
      URI address,
      NodeLoad load,
      double capacity,
      double configuredCapacity,
      List<SegmentFigures> segments,
      String shortage,
      String member) {
    this(
        id,
        name,
        address,
        load,
        capacity,
        configuredCapacity,
        segments,
        shortage,
        member,
        null,
        null);
  }

  /** For the cluster view: histograms and deletions are only for the database. */
  public QueueNodeReport brief() {
    return new QueueNodeReport(
        id,
        name,
        address,
        load,
        capacity,
        configuredCapacity,
        segments.stream().map(SegmentFigures::withoutDelays).toList(),
        shortage,
        member,
        null,
        full);
  }

  /**
   * How loaded a queue node is, with the signals behind it, each smoothed, 0 to 1 (H-110..H-114).
   *
   * @param state the state with hysteresis
   * @param load the largest of the signals that count
   * @param cpu share of the machine's processors that the process uses
   * @param store share of wall time that the store's writer is working
   * @param disk share of time that the system's tasks stall on the disk; null if it cannot be read
   * @param reason why the node is in this state, human-readable
   */
  public record NodeLoad(
      NodeState state, double load, double cpu, double store, Double disk, String reason) {}
}
