package io.millrace.platform.membership;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with the last topology, so that a node that restarts while no central manager answers
 * knows its queues. Without the file the node waits for an answer. Used by one thread; blocks on
 * the disk.
 *
 * <p>On a queue node, what was deleted stays deleted in it: a central manager that was frozen
 * answers with an older topology for a moment, and a node that is restarted then must not accept
 * events that it has reported to refuse. A load balancer reports nothing and stores nothing, and
 * queue nodes check what it sends, so it follows what it receives: it would refuse for ever a queue
 * whose deletion the central managers do not know any more after a restoration.
 *
 * <p>For the same reason a queue node follows no weight row of a lower version than it has followed
 * of the queue: it would serve slots again that it has given away. The versions of a row rise as
 * long as the queue is defined, also at a restoration. A topology without the queue, and a later
 * version of its definition, may be followed by any row: the queue was deleted meanwhile.
 */
public final class TopologyMemory {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopologyMemory.class);

  private final Path file;
  private final boolean keepsDeletions;
  private boolean failing;
  // Rows that were not followed at last, so that each is logged once.
  private Map<String, Long> older = Map.of();

  private TopologyMemory(Path file, boolean keepsDeletions) {
    this.file = file;
    this.keepsDeletions = keepsDeletions;
  }

  /** The memory of a queue node, in its data directory. */
  public static TopologyMemory ofQueueNode(Path dataDirectory) {
    return new TopologyMemory(in(dataDirectory), true);
  }

  /** The memory of a load balancer, in its data directory. */
  public static TopologyMemory ofLoadBalancer(Path dataDirectory) {
    return new TopologyMemory(in(dataDirectory), false);
  }

  /** The file in a node's data directory. */
  public static Path in(Path dataDirectory) {
    return dataDirectory.resolve("topology.json");
  }

  /**
   * The topology to follow until a central manager answers; empty if none is readable. On a queue
   * node its deletions only close queues: no event is dropped before a central manager has
   * confirmed the deletion, which may be unknown because the central database was restored.
   */
  Optional<Topology> read() {
    return written().map(one -> keepsDeletions ? Closed.followed(one, List.of()) : one);
  }

  private Optional<Topology> written() {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Json.read(Files.readAllBytes(file), Topology.class));
    } catch (IOException | MillraceException e) {
      LOGGER.warn("the stored topology in {} is not readable; it will be requested", file, e);
      return Optional.empty();
    }
  }

  /**
   * A topology with the weight rows to follow: on a queue node, those that are followed already
   * instead of older ones.
   *
   * @param former what is followed; null for nothing yet
   */
  Topology withNewestRows(Topology former, Topology received) {
    if (!keepsDeletions || former == null) {
      return received;
    }
    Map<String, QueueWeights> kept = KeptRows.kept(former, received);
    Map<String, Long> refused = new TreeMap<>();
    kept.forEach((queue, row) -> refused.put(queue, row.version()));
    if (!older.equals(refused) && !refused.isEmpty()) {
      LOGGER.warn(
          "a central manager answered with older weights of {}; this node keeps those of the"
              + " versions {}, which it has followed. If this continues although the central database"
              + " was replaced, stop this node, delete {}, and start it again",
          refused.keySet(),
          refused,
          file);
    }
    older = refused;
    return kept.isEmpty() ? received : KeptRows.with(received, kept);
  }

  /** What to write of a topology: on a queue node also the deletions that it does not know. */
  Topology merged(Topology received) {
    return keepsDeletions
        ? written().map(former -> Closed.kept(former, received)).orElse(received)
        : received;
  }

  /** What to follow of a topology that was received, and merged. */
  Topology followed(Topology merged, Topology received) {
    return keepsDeletions ? Closed.followed(merged, received.deletions()) : merged;
  }

  /**
   * Replaces the file durably; after a crash meanwhile it has the old or the new content.
   *
   * @return false if the file cannot be written, which is logged
   */
  boolean write(Topology topology) {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer bytes = ByteBuffer.wrap(Json.writeBytes(topology));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      // Or a power failure undoes the renaming.
      try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent())) {
        folder.force(true);
      }
      failing = false;
      return true;
    } catch (IOException e) {
      if (!failing) {
        LOGGER.warn(
            "the topology could not be stored in {}; until it can, this node does not take part"
                + " in new deletions of queues",
            file,
            e);
      }
      failing = true;
      return false;
    }
  }

  /** The weight rows that are newer than those of a topology that was received. */
  @Pure
  private static final class KeptRows {
    private KeptRows() {}

    static Map<String, QueueWeights> kept(Topology former, Topology received) {
      Map<String, Integer> before = Closed.defined(former);
      Map<String, Integer> now = Closed.defined(received);
      Map<String, QueueWeights> followed = new HashMap<>();
      former.weights().forEach(row -> followed.put(row.queue(), row));
      Map<String, QueueWeights> kept = new HashMap<>();
      for (QueueWeights row : received.weights()) {
        QueueWeights known = followed.get(row.queue());
        boolean redefined = now.getOrDefault(row.queue(), 0) > before.getOrDefault(row.queue(), 0);
        if (known != null && !redefined && isOlder(row, known)) {
          kept.put(row.queue(), known);
        }
      }
      return kept;
    }

    // A server of an earlier version answers with the same row without its slots.
    private static boolean isOlder(QueueWeights row, QueueWeights known) {
      return row.version() < known.version()
          || (row.version() == known.version() && row.slots() == null && known.slots() != null);
    }

    static Topology with(Topology received, Map<String, QueueWeights> rows) {
      return new Topology(
          received.version(),
          received.queues(),
          received.weights().stream().map(row -> rows.getOrDefault(row.queue(), row)).toList(),
          received.nodes(),
          received.controls(),
          received.broken(),
          received.withdrawn(),
          received.deletions());
    }
  }

  /** The versions of queues that stay closed. */
  @Pure
  private static final class Closed {
    /** As many as a central manager lists. */
    private static final int MOST = 1_000;

    private Closed() {}

    /**
     * The topology with those deletions of the former one that it does not know, unless it defines
     * a later version of the queue.
     */
    static Topology kept(Topology former, Topology received) {
      Map<String, Integer> defined = defined(received);
      Map<String, QueueDeletion> deletions = new LinkedHashMap<>();
      received.deletions().forEach(one -> deletions.put(one.queue(), one));
      int kept = 0;
      for (QueueDeletion one : former.deletions()) {
        QueueDeletion listed = deletions.get(one.queue());
        boolean known = listed != null && listed.version() >= one.version();
        boolean later = defined.getOrDefault(one.queue(), 0) > one.version();
        if (!known && !later && kept < MOST) {
          kept++;
          deletions.put(one.queue(), one);
        }
      }
      return received.withDeletions(List.copyOf(deletions.values()));
    }

    /**
     * The topology with those of its deletions that a node takes part in. One that no central
     * manager has confirmed only closes a queue, as long as the queue is defined; without the queue
     * there is nothing to close, and central managers list no deletion for ever.
     */
    static Topology followed(Topology topology, List<QueueDeletion> confirmed) {
      Set<String> defined = defined(topology).keySet();
      Set<QueueDeletion> asTheyAre = Set.copyOf(confirmed);
      return topology.withDeletions(
          topology.deletions().stream()
              .filter(one -> asTheyAre.contains(one) || defined.contains(one.queue()))
              .map(one -> asTheyAre.contains(one) ? one : closing(one))
              .toList());
    }

    private static QueueDeletion closing(QueueDeletion one) {
      return new QueueDeletion(one.queue(), one.version(), DeletionMode.DRAIN, false);
    }

    private static Map<String, Integer> defined(Topology topology) {
      Map<String, Integer> versions = new HashMap<>();
      topology.queues().forEach(one -> versions.put(one.definition().name(), one.version()));
      return versions;
    }
  }
}
