package io.millrace.cli.bench;

import io.millrace.cli.invocation.OptionRefusal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of each benchmark, set by the parser; {@code check} refuses impossible values. */
final class BenchOptions {
  private BenchOptions() {}

  /** Durability of queue nodes. */
  enum Durability {
    DISK,
    PROCESS
  }

  /** The database in which central managers keep jobs. */
  enum Store {
    H2,
    MYSQL
  }

  /** Options of all benchmarks with queue nodes. */
  static final class NodesOptions {
    @Option(
        names = "--payload",
        paramLabel = "BYTES",
        defaultValue = "200",
        description = "Size of each event's data in bytes (default: ${DEFAULT-VALUE}).")
    int payload;

    @Option(
        names = "--durability",
        paramLabel = "disk|process",
        defaultValue = "disk",
        description =
            "disk: acknowledged events survive a power failure; process: they survive kill -9"
                + " only (default: ${DEFAULT-VALUE}).")
    Durability durability;

    @Option(
        names = "--heap",
        paramLabel = "SIZE",
        defaultValue = "512m",
        description = "Maximum heap of each queue node (default: ${DEFAULT-VALUE}).")
    String heap;

    @Option(
        names = "--folder",
        paramLabel = "DIR",
        description =
            "Directory of the nodes' stores, which determines the disk (default: a temporary"
                + " directory).")
    Path folder;

    void check() {
      OptionRefusal.outside("--payload", payload, 60, 100_000);
      OptionRefusal.unless(
          heap.matches("\\d{1,6}[mMgG]"), "--heap", "use a size such as 512m or 2g");
    }
  }

  /** Options of {@code bench queue}. */
  static final class Queue {
    @Mixin NodesOptions node;

    @Option(
        names = "--batch",
        split = ",",
        paramLabel = "N",
        defaultValue = "1,10,100",
        description = "Events per request (default: ${DEFAULT-VALUE}).")
    List<Integer> batches = new ArrayList<>();

    @Option(
        names = "--events",
        paramLabel = "N",
        description =
            "Number of events in each phase (default: 10,000 to 500,000, depending on the batch"
                + " size).")
    int events;

    @Option(
        names = "--runs",
        paramLabel = "N",
        defaultValue = "3",
        description = "Number of runs (default: ${DEFAULT-VALUE}).")
    int runs;

    @Option(
        names = "--nodes",
        paramLabel = "N",
        defaultValue = "1",
        description = "Number of queue nodes (default: ${DEFAULT-VALUE}).")
    int nodes;

    @Option(
        names = "--producers",
        paramLabel = "N",
        defaultValue = "8",
        description = "Number of concurrent producers (default: ${DEFAULT-VALUE}).")
    int producers;

    @Option(
        names = "--consumers",
        paramLabel = "N",
        defaultValue = "8",
        description = "Number of concurrent consumers (default: ${DEFAULT-VALUE}).")
    int consumers;

    void check() {
      node.check();
      batches.forEach(size -> OptionRefusal.outside("--batch", size, 1, 10_000));
      OptionRefusal.below("--runs", runs, 1);
      OptionRefusal.outside("--nodes", nodes, 1, 10);
      OptionRefusal.below("--producers", producers, 1);
      OptionRefusal.below("--consumers", consumers, 1);
      OptionRefusal.below("--events", events, 0);
    }
  }

  /** Options of {@code bench puts}. */
  static final class PutsOptions {
    @Mixin NodesOptions node;

    @Option(
        names = "--rate",
        paramLabel = "N",
        defaultValue = "2000",
        description = "Puts per second (default: ${DEFAULT-VALUE}).")
    int rate;

    @Option(
        names = "--seconds",
        paramLabel = "N",
        defaultValue = "20",
        description = "Duration in seconds (default: ${DEFAULT-VALUE}).")
    int seconds;

    @Option(
        names = "--new-connections",
        description = "Open a connection for each put, as short-lived producers do.")
    boolean newConnections;

    @Option(
        names = "--producers",
        paramLabel = "N",
        defaultValue = "16",
        description = "Number of concurrent producers (default: ${DEFAULT-VALUE}).")
    int producers;

    void check() {
      node.check();
      OptionRefusal.outside("--rate", rate, 1, 100_000);
      OptionRefusal.outside("--seconds", seconds, 1, 3_600);
      OptionRefusal.outside("--producers", producers, 1, 1_000);
    }
  }

  /** Options of {@code bench backlog}. */
  static final class Backlog {
    @Mixin NodesOptions node;

    @Option(
        names = "--events",
        paramLabel = "N",
        defaultValue = "5000000",
        description = "Number of waiting events (default: ${DEFAULT-VALUE}).")
    int events;

    @Option(
        names = "--batch",
        paramLabel = "N",
        defaultValue = "100",
        description = "Events per request (default: ${DEFAULT-VALUE}).")
    int batch;

    @Option(
        names = "--producers",
        paramLabel = "N",
        defaultValue = "4",
        description = "Number of concurrent producers (default: ${DEFAULT-VALUE}).")
    int producers;

    void check() {
      node.check();
      OptionRefusal.below("--events", events, 1_000);
      OptionRefusal.outside("--batch", batch, 1, 10_000);
      OptionRefusal.below("--producers", producers, 1);
    }
  }

  /** Options of {@code bench balance}. */
  static final class Balance {
    @Option(
        names = "--low",
        paramLabel = "N",
        defaultValue = "30",
        description =
            "Events per second in the first and the last phase (default: ${DEFAULT-VALUE}).")
    int low;

    @Option(
        names = "--high",
        paramLabel = "N",
        defaultValue = "600",
        description = "Events per second in the second phase (default: ${DEFAULT-VALUE}).")
    int high;

    @Option(
        names = "--phase",
        paramLabel = "TIME",
        defaultValue = "90s",
        description = "Duration of each phase (default: ${DEFAULT-VALUE}).")
    Duration phase;

    @Option(
        names = "--delay",
        paramLabel = "TIME",
        defaultValue = "3ms",
        description = "Delay of each write in the third node's store (default: ${DEFAULT-VALUE}).")
    Duration delay;

    @Option(names = "--svg", paramLabel = "FILE", description = "Write a chart to this file.")
    Path svg;

    void check() {
      OptionRefusal.below("--low", low, 1);
      OptionRefusal.unless(high > low, "--high", "use a number above that of --low");
      OptionRefusal.unless(phase.toSeconds() >= 10, "--phase", "use at least 10s");
      OptionRefusal.unless(!delay.isNegative(), "--delay", "use a duration of zero or more");
    }
  }

  /** Options of {@code bench managers}. */
  static final class Managers {
    @Option(
        names = "--queues",
        paramLabel = "N",
        defaultValue = "1000",
        description = "Number of queues, each with one queue manager (default: ${DEFAULT-VALUE}).")
    int queues;

    @Option(
        names = "--tick",
        paramLabel = "TIME",
        defaultValue = "5s",
        description = "Time between two decisions (default: ${DEFAULT-VALUE}).")
    Duration tick;

    @Option(
        names = "--time",
        paramLabel = "TIME",
        defaultValue = "1m",
        description = "Duration of the measurement (default: ${DEFAULT-VALUE}).")
    Duration time;

    void check() {
      OptionRefusal.outside("--queues", queues, 1, 5_000);
      OptionRefusal.unless(tick.toMillis() >= 100, "--tick", "use at least 100ms");
      OptionRefusal.unless(
          time.compareTo(tick.multipliedBy(2)) >= 0, "--time", "use at least two ticks");
    }
  }

  /** Options of {@code bench jobs}. */
  static final class Jobs {
    private static final int DEFAULT_JOBS = 10_000;
    private static final int DEFAULT_STARTS = 300;
    private static final int MAX = 1_000_000;

    @Option(
        names = "--jobs",
        paramLabel = "N",
        description = "Number of jobs in each run (default: 10,000; 300 with --latency).")
    Integer jobs;

    @Option(
        names = "--noop",
        description = "Run built-in no-ops, which are threads, instead of /bin/true.")
    boolean noop;

    @Option(
        names = "--backlog",
        paramLabel = "N",
        defaultValue = "0",
        converter = CountConverter.class,
        description =
            "Number of further jobs that are waiting during the runs, such as 1k or 1M (default: ${DEFAULT-VALUE}).")
    int backlog;

    @Option(
        names = "--store",
        paramLabel = "h2|mysql",
        defaultValue = "h2",
        description = "Database that keeps the jobs (default: ${DEFAULT-VALUE}).")
    Store store;

    @Option(
        names = "--database",
        paramLabel = "URL",
        description =
            "A MySQL or MariaDB server: jdbc:mysql://HOST:3306/. The benchmark creates a schema"
                + " there and drops it at the end.")
    String database;

    @Option(
        names = "--database-user",
        paramLabel = "NAME",
        description = "User that creates the schema.")
    String user;

    @Option(
        names = "--database-password-file",
        paramLabel = "FILE",
        description = "File with the password (default: no password).")
    Path passwordFile;

    @Option(
        names = "--managers",
        paramLabel = "N",
        defaultValue = "1",
        description =
            "Number of central managers; more than one require --store mysql (default: ${DEFAULT-VALUE}).")
    int managers;

    @Option(
        names = "--nodes",
        paramLabel = "N",
        defaultValue = "2",
        description = "Number of execution nodes (default: ${DEFAULT-VALUE}).")
    int nodes;

    @Option(
        names = "--slots",
        paramLabel = "N",
        defaultValue = "16",
        description = "Slots of each execution node (default: ${DEFAULT-VALUE}).")
    int slots;

    @Option(
        names = "--runs",
        paramLabel = "N",
        defaultValue = "5",
        description = "Number of runs (default: ${DEFAULT-VALUE}).")
    int runs;

    @Option(
        names = "--reference-at-a-time",
        paramLabel = "N",
        description =
            "Number of concurrent processes of the references (default: number of processors).")
    Integer atATime;

    @Option(
        names = "--latency",
        description = "Measure the delay of single starts instead of a rate.")
    boolean latency;

    @Option(
        names = "--folder",
        paramLabel = "DIR",
        description =
            "Directory of all files, which determines the disk (default: a temporary directory).")
    Path folder;

    void check() {
      OptionRefusal.outside("--jobs", jobs, 1, MAX);
      OptionRefusal.outside("--backlog", backlog, 0, MAX);
      OptionRefusal.outside("--managers", managers, 1, 5);
      OptionRefusal.outside("--nodes", nodes, 1, 20);
      OptionRefusal.outside("--slots", slots, 1, 1_000);
      OptionRefusal.outside("--runs", runs, 1, 100);
      OptionRefusal.outside("--reference-at-a-time", atATime, 1, 1_000);
      OptionRefusal.unless(
          store == Store.MYSQL || database == null, "--database", "also set --store mysql");
      OptionRefusal.unless(
          database == null || database.startsWith("jdbc:mysql://"),
          "--database",
          "use jdbc:mysql://HOST:3306/, not " + database);
      OptionRefusal.unless(
          store == Store.H2 || database != null,
          "--store mysql",
          "also set --database jdbc:mysql://HOST:3306/ --database-user NAME"
              + " [--database-password-file FILE]");
      OptionRefusal.unless(
          store == Store.MYSQL || managers == 1,
          "--managers",
          "more than one require --store mysql, because one process owns an H2 database");
      OptionRefusal.unless(
          !latency || backlog == 0, "--backlog", "--latency measures an idle cluster");
    }

    int jobsPerRun() {
      if (jobs != null) {
        return jobs;
      }
      return latency ? DEFAULT_STARTS : DEFAULT_JOBS;
    }

    int referenceProcesses() {
      return atATime == null ? Runtime.getRuntime().availableProcessors() : atATime;
    }
  }

  /** Options of {@code bench workflow}. */
  static final class Workflow {
    private static final int MAX = 5_000_000;
    private static final int MAX_CHAIN = 100_000;
    private static final int MAX_DEFAULT_WARM_UP = 10_000;

    @Option(
        names = "--steps",
        paramLabel = "N",
        defaultValue = "10k",
        converter = CountConverter.class,
        description = "Number of steps, such as 100k or 1M (default: ${DEFAULT-VALUE}).")
    int steps;

    @Option(
        names = "--single",
        description = "List each step by itself, instead of 1,000 of each template.")
    boolean single;

    @Option(
        names = "--chain",
        description = "Run steps one after another, and measure the time between two of them.")
    boolean chain;

    @Option(
        names = "--bind-only",
        description = "Cancel the workflow as soon as it is bound, and measure until it has ended.")
    boolean bindOnly;

    @Option(
        names = "--warm-up",
        paramLabel = "N",
        converter = CountConverter.class,
        description = "Steps that run before and are not measured (default: --steps, up to 10k).")
    Integer warmUp;

    @Option(
        names = "--nodes",
        paramLabel = "N",
        defaultValue = "2",
        description = "Number of execution nodes (default: ${DEFAULT-VALUE}).")
    int nodes;

    @Option(
        names = "--slots",
        paramLabel = "N",
        defaultValue = "16",
        description = "Slots of each execution node (default: ${DEFAULT-VALUE}).")
    int slots;

    @Option(
        names = "--folder",
        paramLabel = "DIR",
        description =
            "Directory of all files, which determines the disk (default: a temporary directory).")
    Path folder;

    void check() {
      OptionRefusal.outside("--steps", steps, 1, chain ? MAX_CHAIN : MAX);
      if (chain && single) {
        throw OptionRefusal.of("--chain", "not with --single");
      }
      if (chain && (bindOnly || warmUp != null)) {
        throw OptionRefusal.of("--chain", "not with --bind-only or --warm-up");
      }
      OptionRefusal.outside("--warm-up", warmUp(), 0, MAX);
      OptionRefusal.outside("--nodes", nodes, 1, 20);
      OptionRefusal.outside("--slots", slots, 1, 1_000);
    }

    int warmUp() {
      return warmUp == null ? Math.min(steps, MAX_DEFAULT_WARM_UP) : warmUp;
    }
  }

  /** Reads {@code 500}, {@code 10k} and {@code 1M}. */
  static final class CountConverter implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})([km]?)");
    private static final Map<String, Integer> UNITS = Map.of("", 1, "k", 1_000, "m", 1_000_000);

    @Override
    public Integer convert(String text) {
      Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
      if (!form.matches()) {
        throw new TypeConversionException("'" + text + "' is not a number such as 500, 10k or 1M");
      }
      long count = Long.parseLong(form.group(1)) * UNITS.get(form.group(2));
      return (int) Math.min(count, Integer.MAX_VALUE);
    }
  }
}
