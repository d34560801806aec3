package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.manager.placement.NodeTest.NodeTests;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What placement looks at: one pool at one moment.
 *
 * @param pool name of the pool
 * @param now the moment, by the database's clock
 * @param lines waiting jobs by shape
 * @param nodes employed nodes that serve the pool
 * @param licences consumables of the cluster, by name
 * @param shares how far each share has come; one that is missing is new, of weight 1
 * @param virtualTime how far the pool has come: whoever was away begins there
 * @param tests what shapes require
 * @param settings how age and width are weighed
 */
@Pure
public record PlacementSnapshot(
    String pool,
    Instant now,
    List<ShapeQueue> lines,
    List<PlacementNode> nodes,
    Map<String, LicenceStock> licences,
    Map<String, ShareTurn> shares,
    double virtualTime,
    NodeTests tests,
    PlacementSettings settings) {
  public PlacementSnapshot {
    lines = List.copyOf(lines);
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
   * The jobs of one line that may start now, oldest first; read bit by bit, because a line may be
   * far longer than what can be placed. The same question is answered alike throughout one
   * decision.
   */
  @Pure
  @FunctionalInterface
  public interface JobSource {
    /** At most so many jobs that come after that one. */
    List<ReadyJob> after(ReadyJob last, int count);
  }

  /**
   * A job that may start now.
   *
   * @param id the job's id
   * @param readyAt since when; its age
   * @param near name of the queue node that it would like to run beside; null for none
   * @param definition what earlier runs of the same are found by
   */
  @Pure
  public record ReadyJob(long id, Instant readyAt, String near, String definition) {}

  /**
   * How placement weighs age and width.
   *
   * @param ageing time that a job waits for one step of priority
   * @param mostSteps most steps that waiting adds
   * @param reserveAfter time after which room is kept for a job that fits a node's size but not its
   *     free part
   * @param mostJobs most jobs placed at one time, so that no lock is held for long
   */
  @Pure
  public record PlacementSettings(
      Duration ageing, int mostSteps, Duration reserveAfter, int mostJobs) {
    public PlacementSettings {
      if (ageing.isZero() || ageing.isNegative() || reserveAfter.isNegative()) {
        throw new IllegalArgumentException("ageing is more than 0, reserveAfter not negative");
      }
      if (mostSteps < 0 || mostJobs < 1) {
        throw new IllegalArgumentException("mostSteps is not negative, mostJobs at least 1");
      }
    }

    /** A step every ten minutes up to ten; room is kept after half a minute. */
    public static PlacementSettings defaults() {
      return new PlacementSettings(Duration.ofMinutes(10), 10, Duration.ofSeconds(30), 1000);
    }
  }
}
