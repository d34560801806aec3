package io.millrace.cli.bench;

import io.millrace.cli.bench.BenchOptions.CountConverter;
import io.millrace.cli.bench.BenchOptions.NodesOptions;
import io.millrace.cli.invocation.OptionRefusal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code bench session}; {@code check} refuses impossible values. */
final class SessionBenchOptions {
  private static final int DEFAULT_EVENTS = 500_000;
  private static final int DEFAULT_KILL_RATE = 500;
  private static final int MAX = 20_000_000;
  private static final double MAX_DUPLICATES = 0.5;

  @Mixin NodesOptions node;

  @Option(
      names = "--events",
      paramLabel = "N",
      converter = CountConverter.class,
      description = "Number of events in each run, such as 500k (default: 500k).")
  Integer events;

  @Option(
      names = "--events-per-session",
      paramLabel = "N",
      defaultValue = "14",
      description = "Events of each session (default: ${DEFAULT-VALUE}).")
  int eventsPerSession;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "100",
      description = "Events per request, of many keys (default: ${DEFAULT-VALUE}).")
  int batch;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of runs (default: ${DEFAULT-VALUE}).")
  int runs;

  @Option(
      names = "--producers",
      paramLabel = "N",
      defaultValue = "8",
      description = "Number of concurrent producers (default: ${DEFAULT-VALUE}).")
  int producers;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "8",
      description = "Number of workers (default: ${DEFAULT-VALUE}).")
  int workers;

  @Option(
      names = "--duplicates",
      paramLabel = "SHARE",
      defaultValue = "0.01",
      description =
          "Share of events that are sent again, half of them when their session is completed"
              + " (default: ${DEFAULT-VALUE}).")
  double duplicates;

  @Option(
      names = "--open",
      paramLabel = "N",
      converter = CountConverter.class,
      description = "Measure the cost of a session while up to this number of others are open.")
  Integer open;

  @Option(
      names = "--events-open",
      paramLabel = "N",
      defaultValue = "1",
      description = "Events of each session that stays open (default: ${DEFAULT-VALUE}).")
  int eventsOpen;

  @Option(
      names = "--probes",
      paramLabel = "N",
      defaultValue = "10k",
      converter = CountConverter.class,
      description =
          "Further sessions whose cost is measured, with --open (default: ${DEFAULT-VALUE}).")
  int probes;

  @Option(
      names = "--overload",
      description = "Offer the events before any worker starts, to a queue that lets few wait.")
  boolean overload;

  @Option(
      names = "--cap",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "The most sessions without a worker, with --overload (default: ${DEFAULT-VALUE}).")
  int cap;

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Send the events of this file: a JSON object on each line, possibly compressed with"
              + " gzip.")
  Path from;

  @Option(
      names = "--key",
      paramLabel = "POINTER",
      defaultValue = "/jobId",
      description = "Where the key of an event is, with --from (default: ${DEFAULT-VALUE}).")
  String key;

  @Option(
      names = "--id",
      paramLabel = "POINTER",
      defaultValue = "/eventId",
      description = "Where the id of an event is, with --from (default: ${DEFAULT-VALUE}).")
  String id;

  @Option(
      names = "--previous",
      paramLabel = "POINTER",
      defaultValue = "/previousEventIds",
      description =
          "Where the ids are of events of its key that an event comes after, with --from"
              + " (default: ${DEFAULT-VALUE}).")
  String previous;

  @Option(
      names = "--kill-every",
      paramLabel = "TIME",
      description = "Kill a worker and the queue node in turn, this often, with --from.")
  Duration killEvery;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Events per second, with --from (default: as many as possible; 500 with --kill-every).")
  Integer rate;

  void check() {
    node.check();
    OptionRefusal.outside("--events-per-session", eventsPerSession, 1, 10_000);
    OptionRefusal.outside("--events", events, eventsPerSession, MAX);
    OptionRefusal.outside("--batch", batch, 1, 10_000);
    OptionRefusal.outside("--runs", runs, 1, 100);
    OptionRefusal.outside("--producers", producers, 1, 1_000);
    OptionRefusal.outside("--workers", workers, 1, 1_000);
    OptionRefusal.outside("--duplicates", duplicates, 0, MAX_DUPLICATES);
    OptionRefusal.outside("--open", open, 1, MAX);
    OptionRefusal.outside("--events-open", eventsOpen, 1, 1_000);
    OptionRefusal.outside("--probes", probes, 1, MAX);
    OptionRefusal.outside("--cap", cap, 1, MAX);
    checkKinds();
    checkReplay();
  }

  private void checkKinds() {
    int kinds = (open == null ? 0 : 1) + (overload ? 1 : 0) + (from == null ? 0 : 1);
    if (kinds > 1) {
      throw OptionRefusal.of("--open, --overload, --from", "use only one of them");
    }
    OptionRefusal.unless(
        events == null || (open == null && from == null),
        "--events",
        "--open and --from say what is sent");
  }

  private void checkReplay() {
    OptionRefusal.unless(from == null || Files.isReadable(from), "--from", "cannot read " + from);
    pointer("--key", key);
    pointer("--id", id);
    pointer("--previous", previous);
    OptionRefusal.unless(killEvery == null || from != null, "--kill-every", "also set --from FILE");
    OptionRefusal.unless(
        killEvery == null || killEvery.toMillis() >= 1_000, "--kill-every", "use at least 1s");
    OptionRefusal.unless(rate == null || from != null, "--rate", "also set --from FILE");
    OptionRefusal.outside("--rate", rate, 1, 1_000_000);
  }

  private static void pointer(String option, String given) {
    OptionRefusal.unless(
        given.startsWith("/"), option, "use a JSON pointer such as /orderId, not " + given);
  }

  int sessions() {
    return (events == null ? DEFAULT_EVENTS : events) / eventsPerSession;
  }

  int replayRate() {
    if (rate != null) {
      return rate;
    }
    return killEvery == null ? 0 : DEFAULT_KILL_RATE;
  }

  Duration timeBetweenKills() {
    return killEvery == null ? Duration.ZERO : killEvery;
  }
}
