package io.millrace.platform.membership;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.Topology;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.HashMap;
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
  // The version that this process has received from a central manager.
  private volatile String version;
  private boolean disconnected;

  /**
   * A follower that has not started.
   *
   * @param owner the node's name, for the thread's name
   * @param listener called with each new topology, one at a time, and in {@link #start()} with the
   *     remembered one
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

  /**
   * Asks a central manager now, beside the request that waits for a change, and follows its answer;
   * afterwards what is followed is no older than this call. Blocks.
   *
   * @throws MillraceException if none answers that can read the database
   */
  public void refresh() {
    central.freshTopology(version).ifPresent(this::follow);
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
  private synchronized boolean follow(Topology answer) {
    Topology received = memory.withNewestRows(current, answer);
    Topology remembered = memory.merged(received);
    boolean written = memory.write(remembered);
    Topology topology = memory.followed(remembered, received);
    if (!written) {
      accept(topology.withDeletions(known(topology)));
      return false;
    }
    accept(topology);
    version = received.version();
    return true;
  }

  /** The deletions that are followed already, those of them that have gone on as they are now. */
  private List<QueueDeletion> known(Topology next) {
    if (current == null) {
      return List.of();
    }
    Map<String, QueueDeletion> states = new HashMap<>();
    next.deletions().forEach(one -> states.put(one.queue(), one));
    return current.deletions().stream()
        .map(
            one -> {
              QueueDeletion now = states.get(one.queue());
              return now != null && now.version() == one.version() ? now : one;
            })
        .toList();
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
}
