package io.millrace.platform.membership;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.client.CentralClient;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.Topology;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the current topology by long-polling any central manager; while none answers, the last
 * known one remains in force, also across a restart. Thread-safe.
 */
public final class TopologyFollower implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopologyFollower.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

  private final CentralClient central;
  private final TopologyMemory memory;
  private final Consumer<Topology> listener;
  private final Loop loop;
  private volatile Topology current;
  private volatile Set<UUID> withdrawn = Set.of();
  // Used only by the loop's thread: the version that this process has received from a central
  // manager.
  private String version;
  private boolean disconnected;

  /**
   * A follower that has not started.
   *
   * @param owner the node's name, for the thread's name
   * @param listener called on the follower's thread with each new topology, and in {@link #start()}
   *     with the remembered one
   */
  public TopologyFollower(
      String owner, CentralClient central, TopologyMemory memory, Consumer<Topology> listener) {
    this.central = central;
    this.memory = memory;
    this.listener = listener;
    this.loop = new Loop(owner + "-topology", AFTER_FAILURE, this::followUntilItFails);
  }

  /** The topology in force; empty before the first one was received. Never blocks. */
  public Optional<Topology> current() {
    return Optional.ofNullable(current);
  }

  /** Why the node is not ready, as a message; empty once there is a topology. Never blocks. */
  public Optional<String> problem() {
    return current == null
        ? Optional.of("no topology has been received from a central manager yet")
        : Optional.empty();
  }

  /**
   * Refuses the calls of a node whose identity was withdrawn, as far as the topology in force says.
   * Never blocks.
   *
   * @throws MillraceException FORBIDDEN
   */
  public void requireValid(Principal node) {
    if (node.node().filter(this::isWithdrawn).isPresent()) {
      throw NodeIdentity.withdrawn(node.role(), node.subject(), node.node().get());
    }
  }

  /** Whether the topology in force says that the identity was withdrawn. Never blocks. */
  public boolean isWithdrawn(UUID node) {
    return withdrawn.contains(node);
  }

  @Override
  public void start() {
    memory.read().ifPresent(this::accept);
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  private void followUntilItFails() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Optional<Topology> answer = central.topology(version, TIMEOUT);
        returned();
        if (answer.isPresent() && !follow(answer.get())) {
          return;
        }
      }
    } catch (MillraceException e) {
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      if (e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.UNAVAILABLE) {
        throw e;
      }
      if (!disconnected) {
        LOGGER.warn(
            "no central manager answers; continuing with the last known topology: {}",
            e.getMessage());
        disconnected = true;
      }
    }
  }

  /**
   * It is remembered first: a node that has reported that it refuses events of a deleted queue must
   * still refuse them after a crash, before a central manager answers. While it cannot be
   * remembered, new deletions are not followed and thus not reported, and it is requested again.
   *
   * @return whether it is followed whole
   */
  private boolean follow(Topology received) {
    Topology topology = memory.merged(received);
    if (!memory.write(topology)) {
      accept(topology.withDeletions(current == null ? List.of() : current.deletions()));
      return false;
    }
    accept(topology);
    version = received.version();
    return true;
  }

  private void accept(Topology topology) {
    withdrawn = Set.copyOf(topology.withdrawn());
    current = topology;
    listener.accept(topology);
  }

  private void returned() {
    if (disconnected) {
      LOGGER.info("a central manager answers again");
      disconnected = false;
    }
  }

  /**
   * A file with the last topology, so that a node that restarts while no central manager answers
   * knows its queues. Without the file the node waits for an answer. Used by one thread.
   *
   * <p>What was deleted stays deleted in it: a central manager that was frozen answers with an
   * older topology for a moment, and a node that is restarted then must not accept events that it
   * has reported to refuse.
   */
  public static final class TopologyMemory {
    private static final Logger LOGGER = LoggerFactory.getLogger(TopologyMemory.class);

    private final Path file;
    private boolean failing;

    public TopologyMemory(Path file) {
      this.file = file;
    }

    /** The file in a node's data directory. */
    public static Path in(Path dataDirectory) {
      return dataDirectory.resolve("topology.json");
    }

    /**
     * The topology that was written last; empty if none is readable. Its deletions only close
     * queues: no event is dropped before a central manager has confirmed the deletion, which may be
     * unknown because the central database was restored.
     */
    public Optional<Topology> read() {
      if (!Files.exists(file)) {
        return Optional.empty();
      }
      try {
        Topology written = Json.read(Files.readAllBytes(file), Topology.class);
        return Optional.of(
            written.withDeletions(written.deletions().stream().map(Closed::closing).toList()));
      } catch (IOException | MillraceException e) {
        LOGGER.warn("the stored topology in {} is not readable; it will be requested", file, e);
        return Optional.empty();
      }
    }

    /** A topology as received, with the queues that an earlier one said were deleted. */
    public Topology merged(Topology received) {
      return read().map(former -> Closed.kept(former, received)).orElse(received);
    }

    /**
     * Replaces the file durably; after a crash meanwhile it has the old or the new content.
     *
     * @return false if the file cannot be written, which is logged
     */
    public boolean write(Topology topology) {
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

    /** The versions of queues that stay closed. */
    @Pure
    private static final class Closed {
      /** As many as a central manager lists. */
      private static final int MOST = 1_000;

      private Closed() {}

      static QueueDeletion closing(QueueDeletion one) {
        return new QueueDeletion(one.queue(), one.version(), DeletionMode.DRAIN, false);
      }

      /**
       * The topology with those deletions of the former one that it does not know, unless it
       * defines a later version of the queue.
       */
      static Topology kept(Topology former, Topology received) {
        Map<String, Integer> defined = new HashMap<>();
        received.queues().forEach(one -> defined.put(one.definition().name(), one.version()));
        Map<String, QueueDeletion> deletions = new LinkedHashMap<>();
        received.deletions().forEach(one -> deletions.put(one.queue(), one));
        int kept = 0;
        for (QueueDeletion one : former.deletions()) {
          QueueDeletion listed = deletions.get(one.queue());
          boolean known = listed != null && listed.version() >= one.version();
          boolean later = defined.getOrDefault(one.queue(), 0) > one.version();
          if (!known && !later && kept < MOST) {
            kept++;
            deletions.put(one.queue(), closing(one));
          }
        }
        return received.withDeletions(List.copyOf(deletions.values()));
      }
    }
  }
}
