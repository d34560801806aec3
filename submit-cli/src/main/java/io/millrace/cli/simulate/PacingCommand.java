package io.millrace.cli.simulate;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "pacing",
    description = {
      "Runs pacing policies against arrivals on a virtual clock.",
      "Set one of --table, --trace, --scenario, --rate, --history or --queue; the",
      "last two replay the record of a live queue with its recorded settings and",
      "with those of --set. Equal seeds give equal runs.",
      "Policies and their parameters: demand (patience in seconds), threshold (upper",
      "limit), keda-accurate (events per job), fixed (workers per second). The last",
      "two are available in simulations only."
    },
    footer = {
      "",
      "Examples:",
      "  millrace simulate pacing --table 4.3",
      "  millrace simulate pacing --table all --json",
      "  millrace simulate pacing --trace day.csv --scale 10 --batch 50 --model linger",
      "  millrace simulate pacing --trace day.csv --scale 1,10,100 --sweep --csv fronts.csv",
      "  millrace simulate pacing --trace day.csv --policy demand=5 --policy demand=30",
      "  millrace simulate pacing --scenario overload --svg overload.svg",
      "  millrace simulate pacing --rate 20 --length 365d --policy demand",
      "  millrace simulate pacing --queue alert --since 24h --set waitTarget=5s",
      "  millrace simulate pacing --history alert.ndjson --set maxWorkers=20"
    })
final class PacingCommand implements Callable<Integer> {
  /** Options that a replay takes from its record. */
  private static final Set<String> NOT_OF_REPLAYS =
      Set.of(
          "--length",
          "--scale",
          "--batch",
          "--latency",
          "--run",
          "--model",
          "--linger",
          "--tick",
          "--step",
          "--policy",
          "--arrivals",
          "--seed",
          "--max-workers",
          "--sweep",
          "--settings");

  private static final Set<String> ONLY_OF_REPLAYS = Set.of("--since", "--set");

  private final Invocation invocation;

  @Spec private CommandSpec spec;

  @Option(
      names = "--table",
      paramLabel = "TABLE",
      description = "Published table: 4.2, 4.3, 4.4, or all.")
  private String table;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = {
        "File with lines of timestamp,value (events until the next line) or timestamps of events;",
        "may be repeated."
      })
  private List<Path> traces = new ArrayList<>();

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description = {
        "Scenario sine, crash, backlog, burst, overload, batch-system or failing; may be repeated."
      })
  private List<String> scenarios = new ArrayList<>();

  @Option(names = "--rate", paramLabel = "N", description = "Constant rate in events per second.")
  private Double rate;

  @Option(
      names = "--length",
      paramLabel = "TIME",
      defaultValue = "1h",
      description = "Duration of a run with --rate (default: ${DEFAULT-VALUE}).")
  private Duration length;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = {
        "Output of GET /v1/queues/NAME/decisions/export or of 'queue explain --json';",
        "- for standard input."
      })
  private String history;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "Live queue whose record is fetched from the server.")
  private String queue;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "24h",
      description = "Period of the record of --queue (default: ${DEFAULT-VALUE}).")
  private Duration since;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = {
        "Replay with another value of policy, tick, waitTarget, patience,",
        "maxWorkers, maxStarting, upperLimit, lowerLimit, backlog or batch;",
        "may be repeated."
      })
  private List<String> changes = new ArrayList<>();

  @Option(
      names = "--scale",
      split = ",",
      paramLabel = "N",
      description = "Factor for the number of events; several separated by commas (default: 1).")
  private List<Double> scales = new ArrayList<>();

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "50",
      description = "Maximum number of events per worker (default: ${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "--latency",
      paramLabel = "TIME",
      defaultValue = "2s",
      description = "Time from submission to the first lease (default: ${DEFAULT-VALUE}).")
  private Duration latency;

  @Option(
      names = "--run",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "Time in which a worker handles a full batch (default: ${DEFAULT-VALUE}).")
  private Duration run;

  @Option(
      names = "--model",
      paramLabel = "exit|linger",
      defaultValue = "exit",
      description =
          "Model of workers: exit after one lease, or linger (default: ${DEFAULT-VALUE}).")
  private String model;

  @Option(
      names = "--linger",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "How long a lingering worker waits for events (default: ${DEFAULT-VALUE}).")
  private Duration linger;

  @Option(
      names = "--tick",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "Time between two decisions (default: ${DEFAULT-VALUE}).")
  private Duration tick;

  @Option(
      names = "--step",
      paramLabel = "TIME",
      defaultValue = "1s",
      description = "Resolution of the virtual clock (default: ${DEFAULT-VALUE}).")
  private Duration step;

  @Option(
      names = "--policy",
      paramLabel = "NAME[=VALUE]",
      description = "Policy with its parameter; may be repeated (default: all except fixed).")
  private List<String> policies = new ArrayList<>();

  @Option(
      names = "--arrivals",
      paramLabel = "even|poisson",
      description = {
        "Arrivals even or poisson (default: poisson for traces with counts of longer intervals,",
        "otherwise even)."
      })
  private String arrivals;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Random seed (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Maximum number of running workers (default: no limit).")
  private Integer slots;

  @Option(
      names = "--max-workers",
      paramLabel = "N",
      description = "maxWorkers of the queue (default: no limit).")
  private Integer maxWorkers;

  @Option(
      names = "--sweep",
      description =
          "Vary the parameters of demand, threshold and keda-accurate and compare the fronts.")
  private boolean sweep;

  @Option(
      names = "--settings",
      defaultValue = "33",
      paramLabel = "N",
      description = "Number of values of each parameter in a sweep (default: ${DEFAULT-VALUE}).")
  private int settings;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write the figures to this file as CSV.")
  private Path csv;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Write a chart of the four curves, of the fronts or of one table.")
  private Path svg;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page with figures and charts.")
  private Path html;

  PacingCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    PacingPlan.Input input = new PacingPlan.Input(table, traces, scenarios, rate, length, scales);
    PacingPlan.Workers workers =
        new PacingPlan.Workers(batch, latency, run, model, linger, slots, maxWorkers);
    PacingPlan.Clockwork clockwork = new PacingPlan.Clockwork(tick, step, arrivals, seed);
    PacingPlan.Output output = new PacingPlan.Output(csv, svg, html);
    PacingPlan.Replayed replayed = new PacingPlan.Replayed(history, queue, since, changes, slots);
    refuseMixed(replayed.given());
    if (replayed.given()) {
      if (input.given() > 0) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "--history and --queue are replays: do not use --table, --trace, --scenario or --rate"
                + "");
      }
      return new ReplayRun(invocation, replayed, output).run();
    }
    PacingPlan plan = new PacingPlan(input, workers, clockwork, policies, sweep, settings, output);
    return new PacingRun(invocation, plan).run();
  }

  /** Refuses options without effect. */
  private void refuseMixed(boolean replay) {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (replay && NOT_OF_REPLAYS.contains(name)) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            name
                + " does not apply to replays, whose arrivals and workers are those of the record:"
                + " remove it, or change a recorded setting with --set NAME=VALUE");
      }
      if (!replay && ONLY_OF_REPLAYS.contains(name)) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, name + " requires --queue NAME or --history FILE");
      }
    }
  }
}
