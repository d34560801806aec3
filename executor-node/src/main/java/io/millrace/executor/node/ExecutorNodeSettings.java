package io.millrace.executor.node;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.executor.run.JobFolders;
import io.millrace.executor.run.LimitSettings;
import io.millrace.executor.run.LogRetention.LogRetentionSettings;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.http.WebSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of an execution node. The first four have no default.
 *
 * @param name unique in the cluster
 * @param dataDirectory for its id, its attempts and their logs
 * @param central the central managers, in any order
 * @param publicKeyFile the cluster's public key, by which callers' tokens are checked
 * @param identityFile the node's identity, from its join; empty for {@code node.identity} in the
 *     data directory, which is created where the cluster's key is beside the public key
 * @param web where it listens
 * @param slots how many slots it offers
 * @param offer its other resources for jobs
 * @param pools the pools it serves
 * @param backend where its commands run: {@code processes} of the machine, {@code sequential}, or
 *     another backend of the class path (J-09)
 * @param backendSettings settings of that backend
 * @param diskReserve free space below which it accepts no new work
 * @param logs how long logs are kept
 * @param limits limits of jobs
 * @param stopWithin how long attempts have to end when the node is stopped
 * @param keepRunningOnStop whether they continue instead and are taken over when the node is back
 */
public record ExecutorNodeSettings(
    String name,
    Path dataDirectory,
    List<URI> central,
    Path publicKeyFile,
    Optional<Path> identityFile,
    WebSettings web,
    int slots,
    OfferSettings offer,
    List<String> pools,
    String backend,
    Map<String, String> backendSettings,
    DataSize diskReserve,
    LogRetentionSettings logs,
    LimitSettings limits,
    Duration stopWithin,
    boolean keepRunningOnStop) {
  private static final int MIN_SLOTS = 4;
  private static final DataSize USUAL_RESERVE = new DataSize(256L << 20);
  private static final String USUAL_BACKEND = "processes";
  private static final Duration USUAL_STOP = Duration.ofSeconds(5);

  public ExecutorNodeSettings {
    if (name != null) {
      Names.require("name", name, ErrorCode.CONFIGURATION);
    }
    require(slots >= 1, "slots must be at least 1");
    require(!pools.isEmpty(), "pools names at least one pool, for instance default");
    require(!stopWithin.isNegative(), "stopWithin must not be negative");
    require(central == null || !central.isEmpty(), "central names at least one central manager");
    central = central == null ? null : List.copyOf(central);
    pools = List.copyOf(pools);
    backendSettings = Map.copyOf(backendSettings);
  }

  /** Two slots for each processor, at least 4; the pool default; a free loopback port. */
  public static ExecutorNodeSettings defaults() {
    return of(null, null, null, null);
  }

  /** The defaults with values for what has none. */
  public static ExecutorNodeSettings of(
      String name, Path dataDirectory, List<URI> central, Path publicKeyFile) {
    return new ExecutorNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        Optional.empty(),
        WebSettings.defaults(),
        Math.max(MIN_SLOTS, 2 * Runtime.getRuntime().availableProcessors()),
        OfferSettings.defaults(),
        List.of("default"),
        USUAL_BACKEND,
        Map.of(),
        USUAL_RESERVE,
        LogRetentionSettings.defaults(),
        LimitSettings.defaults(),
        USUAL_STOP,
        false);
  }

  /** These settings with other limits of jobs. */
  public ExecutorNodeSettings withLimits(LimitSettings other) {
    return new ExecutorNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        identityFile,
        web,
        slots,
        offer,
        pools,
        backend,
        backendSettings,
        diskReserve,
        logs,
        other,
        stopWithin,
        keepRunningOnStop);
  }

  /** These settings with other pools. */
  public ExecutorNodeSettings withPools(List<String> other) {
    return new ExecutorNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        identityFile,
        web,
        slots,
        offer,
        other,
        backend,
        backendSettings,
        diskReserve,
        logs,
        limits,
        stopWithin,
        keepRunningOnStop);
  }

  /** These settings with that many slots, whose commands run in another backend. */
  public ExecutorNodeSettings withBackend(String other, int slotsOfIt) {
    return new ExecutorNodeSettings(
        name,
        dataDirectory,
        central,
        publicKeyFile,
        identityFile,
        web,
        slotsOfIt,
        offer,
        pools,
        other,
        backendSettings,
        diskReserve,
        logs,
        limits,
        stopWithin,
        keepRunningOnStop);
  }

  /**
   * Creates the data directory and its missing parents, so that the users of jobs can pass; called
   * before the first logger is made, whose folder is in it.
   *
   * @throws MillraceException CONFIGURATION if it cannot be created
   */
  public Path prepareFolder() {
    return JobFolders.create(dataDirectory, limits);
  }

  /** What identifies the node. */
  NodeSettings node() {
    return new NodeSettings(name, dataDirectory, central, publicKeyFile, identityFile);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.CONFIGURATION, rule);
    }
  }

  /**
   * The resources of an execution node besides slots, and its attributes.
   *
   * @param cpus processors; 0 if they are not booked; empty for its share of the machine's
   * @param memory memory for all jobs together; 0 if it is not booked; empty for its share of the
   *     machine's
   * @param share part of the machine that is this node's; the shares of all execution nodes of one
   *     machine should add up to 1, or its processors and memory are offered more than once
   * @param resources named consumables, such as gpu
   * @param onlyAsked whether it takes only jobs that ask for it: by preferring the queue node next
   *     to it, or by requiring its name or a label (H-225)
   * @param beside the queue node on the same machine, whose segments' workers prefer this node
   * @param labels labels given by operators; jobs require them as {@code label.NAME}
   * @param software installed software with versions; jobs require it as {@code software.NAME}
   */
  public record OfferSettings(
      Optional<Double> cpus,
      Optional<DataSize> memory,
      double share,
      Map<String, Integer> resources,
      boolean onlyAsked,
      Optional<String> beside,
      Map<String, String> labels,
      Map<String, String> software) {
    private static final long MEBIBYTE = 1L << 20;
    private static final long MIN_RESERVE = 256 * MEBIBYTE;
    private static final int RESERVED_SHARE = 10;
    private static final int MILLIS = 1000;

    public OfferSettings {
      cpus = cpus == null ? Optional.empty() : cpus;
      memory = memory == null ? Optional.empty() : memory;
      if (cpus.isPresent() && !(cpus.get() >= 0)) {
        throw refuse("offer.cpus must not be negative; with 0, processors are not booked");
      }
      if (!(share > 0 && share <= 1)) {
        throw refuse(
            "offer.share must be above 0 and at most 1; with two execution nodes on a machine, 0.5");
      }
      resources = resources == null ? Map.of() : Map.copyOf(resources);
      beside = beside == null ? Optional.empty() : beside;
      beside.ifPresent(name -> Names.require("offer.beside", name, ErrorCode.CONFIGURATION));
      labels = labels == null ? Map.of() : Map.copyOf(labels);
      software = software == null ? Map.of() : Map.copyOf(software);
      resources.forEach(
          (name, amount) -> {
            Names.require("offer.resources", name, ErrorCode.CONFIGURATION);
            if (amount < 0) {
              throw refuse("offer.resources." + name + " must not be negative");
            }
          });
      labels.keySet().forEach(name -> Names.require("offer.labels", name, ErrorCode.CONFIGURATION));
      software
          .keySet()
          .forEach(name -> Names.require("offer.software", name, ErrorCode.CONFIGURATION));
    }

    /** The whole machine. */
    public static OfferSettings defaults() {
      return new OfferSettings(
          Optional.empty(),
          Optional.empty(),
          1,
          Map.of(),
          false,
          Optional.empty(),
          Map.of(),
          Map.of());
    }

    /** This offer of one of that many execution nodes on the same machine. */
    public OfferSettings sharedBy(int nodes) {
      return new OfferSettings(
          cpus, memory, share / nodes, resources, onlyAsked, beside, labels, software);
    }

    /** The processors that it offers: those given, or its share of all. */
    double offeredCpus() {
      int all = NodeAttributes.machine().getAvailableProcessors();
      return cpus.orElseGet(() -> Math.floor(all * share * MILLIS) / MILLIS);
    }

    /**
     * The bytes of memory that it offers: those given, or its share of the machine's, except for a
     * tenth, at least 256 MB, for everything else.
     */
    long offeredMemory() {
      return memory.map(DataSize::bytes).orElseGet(this::shareOfMemory);
    }

    private long shareOfMemory() {
      long machine = NodeAttributes.machineMemory();
      long kept = Math.max(MIN_RESERVE, machine / RESERVED_SHARE);
      return (long) (Math.max(0, machine - kept) * share) / MEBIBYTE * MEBIBYTE;
    }

    NodeCapacity with(int slots) {
      return new NodeCapacity(slots, offeredCpus(), offeredMemory(), resources, onlyAsked);
    }

    private static MillraceException refuse(String message) {
      return new MillraceException(ErrorCode.CONFIGURATION, message);
    }

    /** The attributes of this machine, which jobs can require (H-224). */
    static final class NodeAttributes {
      private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");

      private NodeAttributes() {}

      static Map<String, String> of(OfferSettings offer, String backend) {
        Map<String, String> attributes = new HashMap<>();
        attributes.put("os", System.getProperty("os.name").toLowerCase(Locale.ROOT));
        attributes.put("arch", System.getProperty("os.arch"));
        attributes.put("kernel", System.getProperty("os.version"));
        attributes.put("cpus", Integer.toString(machine().getAvailableProcessors()));
        attributes.put("memory", Long.toString(machineMemory()));
        attributes.put("backend", backend);
        hostname().ifPresent(name -> attributes.put("hostname", name));
        offer.beside().ifPresent(queueNode -> attributes.put("near", queueNode));
        offer.labels().forEach((name, value) -> attributes.put("label." + name, value));
        offer.software().forEach((name, version) -> attributes.put("software." + name, version));
        return Map.copyOf(attributes);
      }

      /** The machine's memory, or its container's. */
      static long machineMemory() {
        return machine().getTotalMemorySize();
      }

      // Looking up the host's network name may take long, and may give another name.
      private static Optional<String> hostname() {
        try {
          return Optional.of(Files.readString(HOSTNAME).strip()).filter(name -> !name.isEmpty());
        } catch (IOException e) {
          return Optional.ofNullable(System.getenv("HOSTNAME"));
        }
      }

      private static OperatingSystemMXBean machine() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      }
    }
  }
}
