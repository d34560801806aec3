package io.millrace.queuenode.node;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.membership.MembershipSettings;
import io.millrace.queuenode.agent.BalancingAgentSettings;
import io.millrace.queuenode.load.LoadSettings;
import io.millrace.queuenode.segment.SegmentHooks.HookSettings;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.CommitSettings.WriteDelay;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a queue node. The first five have no default.
 *
 * @param name unique in the cluster
 * @param dataDirectory its id, its store and the last topology
 * @param central the central managers, in any order
 * @param publicKeyFile the cluster's public key, by which callers' tokens are checked
 * @param tokenFile the node's own token
 * @param web where it listens
 * @param durability what an acknowledged event survives: disk or process
 * @param capacity relative capability, 1 for an ordinary node
 * @param diskReserve free space below which it takes no more events
 * @param load when it is BUSY or TOOBUSY
 * @param balancing how it gives weight away
 * @param hooks commands at both ends of a segment's life
 * @param store what keeps its events
 * @param writeDelay added to each write of the store, so that a node can be made slow for a test;
 *     zero for an honest one
 * @param writeDelayWhile a file; while it does not exist there is no delay. Empty for a delay that
 *     always holds
 * @param membership how it finds its neighbours; for whoever makes its cluster view
 */
public record QueueNodeSettings(
    String name,
    Path dataDirectory,
    List<URI> central,
    Path publicKeyFile,
    Path tokenFile,
    WebSettings web,
    Durability durability,
    double capacity,
    DataSize diskReserve,
    LoadSettings load,
    BalancingAgentSettings balancing,
    HookSettings hooks,
    StoreSettings store,
    Duration writeDelay,
    Optional<Path> writeDelayWhile,
    MembershipSettings membership) {
  private static final DataSize USUAL_RESERVE = new DataSize(256L << 20);

  public QueueNodeSettings {
    // Null stands in the defaults only.
    if (name != null) {
      Names.require("name", name, ErrorCode.CONFIGURATION);
    }
    require(central == null || !central.isEmpty(), "central names at least one central manager");
    require(capacity > 0, "capacity is above 0; 1 is an ordinary node");
    require(!writeDelay.isNegative(), "writeDelay is not negative");
    central = central == null ? null : List.copyOf(central);
  }

  /** Everything but names, folders and addresses. */
  public static QueueNodeSettings defaults() {
    return of(null, null, null, null, null);
  }

  /** The defaults, with what has none. */
  public static QueueNodeSettings of(
      String name, Path dataDirectory, List<URI> central, Path publicKeyFile, Path tokenFile) {
    return new QueueNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        tokenFile,
        WebSettings.defaults(),
        Durability.DISK,
        1,
        USUAL_RESERVE,
        LoadSettings.defaults(),
        BalancingAgentSettings.defaults(),
        HookSettings.defaults(),
        StoreSettings.defaults(),
        Duration.ZERO,
        Optional.empty(),
        MembershipSettings.defaults());
  }

  /** The same for a node that shares its process with other roles. */
  public QueueNodeSettings sharingItsProcess() {
    return with(load.storeOnly(), balancing);
  }

  /** The same with another way to balance. */
  public QueueNodeSettings with(BalancingAgentSettings other) {
    return with(load, other);
  }

  /** How much slower than it is the store is to be. */
  WriteDelay slowness() {
    return new WriteDelay(writeDelay, writeDelayWhile);
  }

  private QueueNodeSettings with(LoadSettings otherLoad, BalancingAgentSettings otherBalancing) {
    return new QueueNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        tokenFile,
        web,
        durability,
        capacity,
        diskReserve,
        otherLoad,
        otherBalancing,
        hooks,
        store,
        writeDelay,
        writeDelayWhile,
        membership);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.CONFIGURATION, rule);
    }
  }
}
