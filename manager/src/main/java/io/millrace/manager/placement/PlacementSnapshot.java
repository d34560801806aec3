package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.manager.placement.NodeTest.NodeTests;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The input of a placement: one pool at one moment.
 *
 * @param pool name of the pool
 * @param now the moment, by the database's clock
 * @param queues waiting jobs by shape
 * @param nodes active nodes that serve the pool
 * @param licences consumables of the cluster, by name
 * @param shares the position of each share; a missing one is new, with weight 1
 * @param virtualTime the virtual time of the pool, at which new and idle shares begin
 * @param tests the requirements of shapes
 * @param settings how age and size are weighed
 */
@Pure
public record PlacementSnapshot(
    String pool,
    Instant now,
    List<ShapeQueue> queues,
    List<PlacementNode> nodes,
    Map<String, LicenceStock> licences,
    Map<String, ShareTurn> shares,
    double virtualTime,
    NodeTests tests,
    PlacementSettings settings) {
  public PlacementSnapshot {
    queues = List.copyOf(queues);
    nodes = List.copyOf(nodes);
    licences = Map.copyOf(licences);
    shares = Map.copyOf(shares);
  }

  /**
   * A consumable of the cluster.
   *
   * @param total how many there are
   * @param used how many are booked; may be more, after the total was lowered
   */
  @Pure
  public record LicenceStock(int total, int used) {
    int free() {
      return total - used;
    }
  }

  /**
   * The waiting jobs of one shape.
   *
   * @param shapeId the shape's id
   * @param shape what they have in common
   * @param head the oldest that may start now
   * @param rest those after it
   */
  @Pure
  public record ShapeQueue(long shapeId, Shape shape, ReadyJob head, JobSource rest) {}

  /**
   * The jobs of one queue that may start now, oldest first; read in pages, because a queue may be
   * far longer than what can be placed. Within one decision the same call returns the same jobs.
   */
  @Pure
  @FunctionalInterface
  public interface JobSource {
    /** Up to that many jobs after that one. */
    List<ReadyJob> after(ReadyJob last, int count);
  }

  /**
   * A job that may start now.
   *
   * @param id the job's id
   * @param readyAt since when; determines its age
   * @param near name of the queue node on whose host it prefers to run; null for none
   * @param definition the key under which earlier runs of the same job are found
   * @param failures failed attempts of it by the id of their node; other nodes go first
   */
  @Pure
  public record ReadyJob(
      long id, Instant readyAt, String near, String definition, Map<UUID, Integer> failures) {
    public ReadyJob {
      failures = Map.copyOf(failures);
    }

    /** A job of which no attempt has failed. */
    public ReadyJob(long id, Instant readyAt, String near, String definition) {
      this(id, readyAt, near, definition, Map.of());
    }
  }

  /**
   * How placement weighs age and size.
   *
   * @param ageing waiting time that raises the priority by one step
   * @param mostSteps most steps that waiting adds
   * @param reserveAfter waiting time after which a node is reserved for a job that fits the node's
   *     size but not its free capacity
   * @param mostJobs most jobs placed at one time, so that no lock is held for long
   */
  @Pure
  public record PlacementSettings(
      Duration ageing, int mostSteps, Duration reserveAfter, int mostJobs) {
    public PlacementSettings {
      if (ageing.isZero() || ageing.isNegative() || reserveAfter.isNegative()) {
        throw new IllegalArgumentException("ageing must be positive and reserveAfter not negative");
      }
      if (mostSteps < 0 || mostJobs < 1) {
        throw new IllegalArgumentException(
            "mostSteps must not be negative and mostJobs at least 1");
      }
    }

    /** A step every ten minutes, up to ten; a node is reserved after half a minute. */
    public static PlacementSettings defaults() {
      return new PlacementSettings(Duration.ofMinutes(10), 10, Duration.ofSeconds(30), 1000);
    }
  }
}
