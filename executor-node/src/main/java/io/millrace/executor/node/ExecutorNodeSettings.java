package io.millrace.executor.node;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.executor.run.LimitSettings;
import io.millrace.executor.run.LogRetention.LogRetentionSettings;
import io.millrace.platform.http.WebSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The configuration of an execution node. The first five have no default.
 *
 * @param name unique in the cluster
 * @param dataDirectory its id, its attempts and their logs
 * @param central the central managers, in any order
 * @param publicKeyFile the cluster's public key, by which callers' tokens are checked
 * @param tokenFile the node's own token
 * @param web where it listens
 * @param slots how many slots it offers
 * @param offer what else it has for jobs
 * @param pools the pools it serves
 * @param diskReserve free space below which it takes no new work
 * @param logs how long logs are kept
 * @param limits what jobs may use and do
 * @param stopWithin how long attempts have to end when the node is stopped
 * @param keepRunningOnStop whether they go on instead, for the node to take over when it is back
 */
public record ExecutorNodeSettings(
    String name,
    Path dataDirectory,
    List<URI> central,
    Path publicKeyFile,
    Path tokenFile,
    WebSettings web,
    int slots,
    OfferSettings offer,
    List<String> pools,
    DataSize diskReserve,
    LogRetentionSettings logs,
    LimitSettings limits,
    Duration stopWithin,
    boolean keepRunningOnStop) {
  private static final int LEAST_SLOTS = 4;
  private static final DataSize USUAL_RESERVE = new DataSize(256L << 20);
  private static final Duration USUAL_STOP = Duration.ofSeconds(5);

  public ExecutorNodeSettings {
    if (name != null) {
      Names.require("name", name, ErrorCode.CONFIGURATION);
    }
    require(slots >= 1, "slots is at least 1");
    require(!pools.isEmpty(), "pools names at least one pool, for instance default");
    require(!stopWithin.isNegative(), "stopWithin is not negative");
    require(central == null || !central.isEmpty(), "central names at least one central manager");
    central = central == null ? null : List.copyOf(central);
    pools = List.copyOf(pools);
  }

  /** Two slots for each processor, at least 4; the pool default; a free loopback port. */
  public static ExecutorNodeSettings defaults() {
    return of(null, null, null, null, null);
  }

  /** The defaults, with what has none. */
  public static ExecutorNodeSettings of(
      String name, Path dataDirectory, List<URI> central, Path publicKeyFile, Path tokenFile) {
    return new ExecutorNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        tokenFile,
        WebSettings.defaults(),
        Math.max(LEAST_SLOTS, 2 * Runtime.getRuntime().availableProcessors()),
        OfferSettings.defaults(),
        List.of("default"),
        USUAL_RESERVE,
        LogRetentionSettings.defaults(),
        LimitSettings.defaults(),
        USUAL_STOP,
        false);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.CONFIGURATION, rule);
    }
  }
}
