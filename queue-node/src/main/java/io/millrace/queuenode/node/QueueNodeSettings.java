package io.millrace.queuenode.node;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.membership.MembershipSettings;
import io.millrace.queuenode.agent.BalancingAgentSettings;
import io.millrace.queuenode.load.LoadSettings;
import io.millrace.queuenode.segment.SegmentHooks.HookSettings;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.CommitSettings.WriteDelay;
import io.millrace.queuenode.store.SegmentStore;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a queue node. The first four have no default.
 *
 * @param name unique in the cluster
 * @param dataDirectory for its id, its store and the last topology
 * @param central the central managers, in any order
 * @param publicKeyFile the cluster's public key, by which callers' tokens are checked
 * @param identityFile the node's identity, from its join; empty for {@code node.identity} in the
 *     data directory, which is created where the cluster's key is beside the public key
 * @param web where it listens
 * @param durability what acknowledged events survive: disk or process
 * @param capacity relative capacity, 1 for a standard node
 * @param diskReserve free space below which it accepts no events
 * @param load when it is BUSY or TOOBUSY
 * @param balancing how it gives weight away
 * @param hooks commands for opening and closing a segment
 * @param store where its events are stored
 * @param writeDelay added to each write of the store, so that a test can slow a node down; zero for
 *     an honest one
 * @param writeDelayWhile a file; while it does not exist there is no delay. Empty for a delay that
 *     always holds
 * @param membership how it finds its neighbours; for whoever makes its cluster view
 */
@RecordBuilder
public record QueueNodeSettings(
    String name,
    Path dataDirectory,
    List<URI> central,
    Path publicKeyFile,
    Optional<Path> identityFile,
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
    MembershipSettings membership)
    implements QueueNodeSettingsBuilder.With {
  private static final DataSize USUAL_RESERVE = new DataSize(256L << 20);

  public QueueNodeSettings {
    // Null only in the defaults.
    if (name != null) {
      Names.require("name", name, ErrorCode.CONFIGURATION);
    }
    require(central == null || !central.isEmpty(), "central names at least one central manager");
    require(capacity > 0, "capacity must be above 0; 1 is a standard node");
    require(!writeDelay.isNegative(), "writeDelay must not be negative");
    central = central == null ? null : List.copyOf(central);
  }

  /** The defaults of everything but names, folders and addresses. */
  public static QueueNodeSettings defaults() {
    return of(null, null, null, null);
  }

  /** The defaults with values for what has none. */
  public static QueueNodeSettings of(
      String name, Path dataDirectory, List<URI> central, Path publicKeyFile) {
    return new QueueNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        Optional.empty(),
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

  /** These settings for a node that shares its process with other roles. */
  public QueueNodeSettings sharingItsProcess() {
    return withLoad(load.storeOnly());
  }

  /** What identifies the node. */
  NodeSettings node() {
    return new NodeSettings(name, dataDirectory, central, publicKeyFile, identityFile);
  }

  /** The artificial delay of the store. */
  WriteDelay slowness() {
    return new WriteDelay(writeDelay, writeDelayWhile);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.CONFIGURATION, rule);
    }
  }

  /**
   * Where the node stores its events.
   *
   * @param kind the kind of store
   * @param url of the server: {@code jdbc:mysql://HOST:3306/NAME}; for MYSQL only
   * @param user of the server; for MYSQL only
   * @param passwordFile holds the password; for MYSQL only
   * @param rememberedBatches the most batch names remembered, so that a repeated batch is stored
   *     once; 0 for one per 512 bytes of the largest heap, 10,000 to 4,000,000
   */
  record StoreSettings(
      Kind kind,
      Optional<String> url,
      Optional<String> user,
      Optional<Path> passwordFile,
      int rememberedBatches) {
    private static final int MAX_REMEMBERED = 50_000_000;

    /** Of the heap, while a checkpoint is written. */
    private static final long BYTES_OF_NAME = 70;

    /** The kinds of stores. */
    public enum Kind {
      /** Log files in the node's data directory. */
      LOG,
      /** A MySQL 8+ or MariaDB 10.6+ server. */
      MYSQL
    }

    public StoreSettings {
      boolean server = kind == Kind.MYSQL;
      if (server != (url.isPresent() && user.isPresent())) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION, "kind mysql requires url and user; kind log has neither");
      }
      if (rememberedBatches < 0 || rememberedBatches > MAX_REMEMBERED) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION,
            "rememberedBatches must be 0 (one for each 512 bytes of heap) or between 1 and "
                + MAX_REMEMBERED);
      }
    }

    public static StoreSettings defaults() {
      return of(Kind.LOG);
    }

    /** A store in the node's data directory. */
    public static StoreSettings of(Kind kind) {
      return new StoreSettings(kind, Optional.empty(), Optional.empty(), Optional.empty(), 0);
    }

    /** The most batch names remembered. */
    int batchesRemembered() {
      if (rememberedBatches == 0) {
        return SegmentStore.defaultRememberedBatches();
      }
      long heap = Runtime.getRuntime().maxMemory();
      if (kind == Kind.LOG && rememberedBatches * BYTES_OF_NAME > heap / 2) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION,
            "rememberedBatches: %,d names take up to %,d MB, which is more than half of the heap of %,d MB; lower it, or give the node more memory"
                .formatted(
                    rememberedBatches, (rememberedBatches * BYTES_OF_NAME) >> 20, heap >> 20));
      }
      return rememberedBatches;
    }
  }
}
