package io.millrace.cli.server;

import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.SegmentFigures.DelayBuckets;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.StatusLine;
import io.millrace.cli.output.Terminal;
import io.millrace.cli.server.Demo.DemoCheck.CheckResult;
import io.millrace.cli.server.DemoDay.DemoQueue;
import io.millrace.cli.server.Replay.Journal;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import io.millrace.simulator.pacing.FixedPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs the demo against a running cluster, from the definitions to the summary. */
public final class Demo {
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final String RATES = "rates-2015-03-09.csv";

  private final Settings settings;
  private final CentralClient central;
  private final QueueClient balancer;
  private final Terminal terminal;
  private final Clock clock;
  private final Waiter waiter = new Waiter();

  /**
   * Settings of a demo.
   *
   * @param demoFolder directory with the day, the definitions and the worker
   * @param workFolder directory for results and the journal
   * @param speed as a multiple of real time
   * @param json whether the summary is one line of JSON
   */
  public record Settings(Path demoFolder, Path workFolder, double speed, boolean json) {}

  public Demo(
      Settings settings,
      CentralClient central,
      QueueClient balancer,
      Terminal terminal,
      Clock clock) {
    this.settings = settings;
    this.central = central;
    this.balancer = balancer;
    this.terminal = terminal;
    this.clock = clock;
  }

  /**
   * Replays the day, or the rest of it; blocks until everything is done.
   *
   * @return whether no acknowledged event was lost and all counts are correct
   */
  public boolean run() throws IOException, InterruptedException {
    DemoDay day = DemoDay.read(settings.demoFolder().resolve(RATES));
    Path results = settings.workFolder().resolve("results");
    Files.createDirectories(results);
    central.apply(DemoDefinitions.of(settings.demoFolder(), results));
    try (Journal journal = Journal.open(settings.workFolder().resolve("acknowledged.txt"))) {
      announce(day, journal);
      long sent = replay(day, journal);
      CheckResult check = new DemoCheck(settings.demoFolder()).run(results, journal.path());
      Summary summary = summary(day, sent, journal.total(), check);
      print(summary, check);
      return check.good() && summary.acknowledged() == day.events();
    }
  }

  private void announce(DemoDay day, Journal journal) {
    long before = journal.total();
    terminal.note(
        "demo: %s events of %s through %d queues at %s times the speed%s"
            .formatted(
                Figures.count(day.events()),
                day.start().toLocalDate(),
                day.queues().size(),
                Figures.count(Math.round(settings.speed())),
                before == 0 ? "" : "; %s were sent before".formatted(Figures.count(before))));
  }

  private long replay(DemoDay day, Journal journal) throws IOException, InterruptedException {
    Set<String> names = day.queues().stream().map(DemoQueue::name).collect(Collectors.toSet());
    StatusLine progress = new StatusLine(terminal, clock);
    Drained drained = new Drained();
    try (Replay replay = new Replay(day, balancer, journal, clock, settings.speed())) {
      replay.start();
      Totals totals = Totals.NONE;
      boolean over = false;
      while (!over) {
        waiter.await(POLL_INTERVAL);
        totals = totals(names, totals);
        progress.show(progress(replay, journal.total(), totals));
        over = replay.finished() && drained.update(totals, journal.total());
      }
      return replay.sent();
    } finally {
      progress.end();
    }
  }

  private static String progress(Replay replay, long acknowledged, Totals totals) {
    long minutes = (long) (replay.seconds() / 60);
    return String.format(
        Locale.ROOT,
        "%02d:%02d  sent %s  acknowledged %s  waiting %s  done %s  workers %s  dead %s%s",
        minutes / 60,
        minutes % 60,
        Figures.count(replay.sent()),
        Figures.count(acknowledged),
        Figures.count(totals.unfinished()),
        Figures.count(totals.done()),
        Figures.count(totals.workers()),
        Figures.count(totals.dead()),
        replay.lastError().map(error -> "  (retrying: " + shortened(error) + ")").orElse(""));
  }

  private static String shortened(String error) {
    String escaped = Escaping.text(error);
    return escaped.length() > 60 ? escaped.substring(0, 60) + "…" : escaped;
  }

  private Totals totals(Set<String> names, Totals before) {
    try {
      return Totals.of(central.overview(), names);
    } catch (MillraceException e) {
      // Figures may be delayed under load; the replay continues with the previous ones.
      return before;
    }
  }

  private Summary summary(DemoDay day, long sent, long acknowledged, CheckResult check) {
    Set<String> names = day.queues().stream().map(DemoQueue::name).collect(Collectors.toSet());
    Totals totals = Totals.of(central.overview(), names);
    List<Long> delays = new ArrayList<>();
    long fixedRuns = 0;
    for (DemoQueue queue : day.queues()) {
      QueueDetails details = central.queue(queue.name());
      details.segments().forEach(segment -> add(delays, segment.delays()));
      fixedRuns += FixedPlan.forPeakOf(queue.counts(), details.definition().batch()).runs();
    }
    return new Summary(
        sent,
        acknowledged,
        check.lost(),
        check.duplicates(),
        totals.dead(),
        totals.workerRuns(),
        fixedRuns,
        rounded(DelayBuckets.quantile(delays, 0.5)),
        rounded(DelayBuckets.quantile(delays, 0.99)),
        totals.decisions());
  }

  private static void add(List<Long> sum, List<Long> more) {
    for (int i = 0; i < more.size(); i++) {
      if (i < sum.size()) {
        sum.set(i, sum.get(i) + more.get(i));
      } else {
        sum.add(more.get(i));
      }
    }
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * 1000) / 1000.0;
  }

  private void print(Summary summary, CheckResult check) {
    Terminal table = settings.json() ? terminal.messagesOnly() : terminal;
    table.lines(summary.lines());
    if (!check.good()) {
      terminal.note(
          "error: the results of the workers are wrong: %d lost, %d unexpected, %d miscounted"
              .formatted(check.lost(), check.unexpected(), check.miscounted()));
    }
    if (settings.json()) {
      terminal.json(summary);
    }
  }

  /** The queue definitions of the demo with their directories filled in. */
  static final class DemoDefinitions {
    private DemoDefinitions() {}

    static ApplyRequest of(Path demoFolder, Path results) throws IOException {
      Path file = demoFolder.resolve("queues.yaml");
      String text =
          Files.readString(file)
              .replace("@DEMO@", quoted(demoFolder))
              .replace("@RESULTS@", quoted(results));
      return new ApplyRequest(List.of(new SourceFile(file.toString(), text)), false);
    }

    /** Escaped for double quotes in YAML. */
    private static String quoted(Path folder) {
      return folder.toAbsolutePath().toString().replace("\\", "\\\\").replace("\"", "\\\"");
    }
  }

  /**
   * Detects when all acknowledged events are done. The figures are reports that are one or two
   * seconds old, so they must show every event stored and none unfinished several times in a row.
   * Not thread-safe.
   */
  static final class Drained {
    private static final int IN_A_ROW = 3;
    private static final int MAX_UNCHANGED = 120;

    private int quiet;
    private int unchanged;
    private Totals last = Totals.NONE;

    /** Called about once a second; true if nothing is left or progress has stopped. */
    boolean update(Totals totals, long acknowledged) {
      boolean idle = totals.unfinished() == 0;
      quiet = idle && totals.inserted() >= acknowledged ? quiet + 1 : 0;
      unchanged = idle && totals.done() == last.done() ? unchanged + 1 : 0;
      last = totals;
      return quiet >= IN_A_ROW || unchanged >= MAX_UNCHANGED;
    }
  }

  /**
   * The summary of the demo; the components are the fields of {@code --json}.
   *
   * @param sent events sent to the load balancer
   * @param acknowledged events acknowledged as stored
   * @param lost acknowledged and not processed
   * @param duplicates further times that an event was processed
   * @param dead dead letters
   * @param workerRuns worker runs started
   * @param fixedRuns runs that a fixed configuration for the peak would have needed
   * @param delayP50Seconds from stored to done, median, real seconds
   * @param delayP99Seconds the same, 99th percentile
   * @param managerDecisions decisions of the queue managers
   */
  private record Summary(
      long sent,
      long acknowledged,
      long lost,
      long duplicates,
      long dead,
      long workerRuns,
      long fixedRuns,
      double delayP50Seconds,
      double delayP99Seconds,
      long managerDecisions) {

    List<String> lines() {
      return List.of(
          "",
          "The demo has ended:",
          line("events sent", Figures.count(sent)),
          line("acknowledged", Figures.count(acknowledged)),
          line("lost", Figures.count(lost)),
          line("processed twice", Figures.count(duplicates)),
          line("dead letters", Figures.count(dead)),
          line("worker runs", Figures.count(workerRuns)),
          line(
              "fixed plan", Figures.count(fixedRuns) + " runs if sized for the peak of each queue"),
          line(
              "delay", "p50 " + Ages.took(delayP50Seconds) + ", p99 " + Ages.took(delayP99Seconds)),
          line("decisions", Figures.count(managerDecisions)));
    }

    private static String line(String label, String value) {
      return String.format(Locale.ROOT, "  %-16s %s", label, value);
    }
  }

  /**
   * The figures of the demo's queues together.
   *
   * @param inserted events stored in total
   * @param unfinished waiting, delayed or leased
   * @param done acknowledged by workers in total
   * @param dead dead letters
   * @param workers waiting and running
   * @param workerRuns runs started in total
   * @param decisions decisions of queue managers in total
   */
  record Totals(
      long inserted,
      long unfinished,
      long done,
      long dead,
      long workers,
      long workerRuns,
      long decisions) {
    static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0);

    static Totals of(Overview overview, Set<String> names) {
      List<QueueView> queues =
          overview.queues().stream().filter(queue -> names.contains(queue.name())).toList();
      return new Totals(
          queues.stream().mapToLong(QueueView::inserted).sum(),
          queues.stream().mapToLong(q -> q.waiting() + q.delayed() + q.leased()).sum(),
          queues.stream().mapToLong(QueueView::acknowledged).sum(),
          queues.stream().mapToLong(QueueView::dead).sum(),
          queues.stream().mapToLong(q -> q.workersStarting() + q.workersRunning()).sum(),
          queues.stream().mapToLong(QueueView::workerRuns).sum(),
          queues.stream().mapToLong(QueueView::managerDecisions).sum());
    }
  }

  /** Runs the check command of the demo. */
  static final class DemoCheck {
    private final Path script;

    DemoCheck(Path demoFolder) {
      this.script = demoFolder.resolve("check.sh");
    }

    /**
     * Compares the results of the workers with the acknowledged events; blocks until the check has
     * ended.
     */
    CheckResult run(Path results, Path acknowledged) throws IOException, InterruptedException {
      Process process =
          new ProcessBuilder(
                  List.of(
                      "sh",
                      script.toString(),
                      results.toString(),
                      "--acknowledged",
                      acknowledged.toString()))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return CheckResult.parse(output);
    }

    /**
     * Result of the check, by event ID.
     *
     * @param expected events that must be there
     * @param processed events that are there
     * @param lost expected and not there
     * @param duplicates further times that an event is there
     * @param unexpected ids that the day does not have
     * @param miscounted hits that do not fit the events
     */
    record CheckResult(
        long expected,
        long processed,
        long lost,
        long duplicates,
        long unexpected,
        long miscounted) {
      private static final Pattern LINE =
          Pattern.compile(
              "expected (\\d+)\\s+processed (\\d+)\\s+lost (\\d+)\\s+duplicates (\\d+)\\s+"
                  + "unexpected (\\d+)\\s+miscounted (\\d+)");

      static CheckResult parse(String output) throws IOException {
        Matcher line = LINE.matcher(output);
        if (!line.find()) {
          throw new IOException("the check printed no result: " + output.strip());
        }
        return new CheckResult(
            figure(line, 1),
            figure(line, 2),
            figure(line, 3),
            figure(line, 4),
            figure(line, 5),
            figure(line, 6));
      }

      private static long figure(Matcher line, int group) {
        return Long.parseLong(line.group(group));
      }

      /** Nothing lost, invented or miscounted; duplicates are allowed. */
      boolean good() {
        return lost == 0 && unexpected == 0 && miscounted == 0;
      }
    }
  }
}
