package io.millrace.cli.bench;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code millrace bench jobs}. */
@Command(
    name = "jobs",
    description = "Jobs per second from submission to recorded end, or the delay of a start.",
    footer = {
      "",
      "Beside each run, in turn, this machine's own rates: xargs, and the execution node's",
      "supervisor without a platform, as many at a time as there are processors or as you say. On",
      "a machine with other work, give as many as there are slots: what starts more at a time gets",
      "more of it. After each run every job's row, attempt, history and files are checked; one",
      "that is missing fails the benchmark.",
      "",
      "With --latency single jobs are submitted one after another to an idle cluster, in turn to",
      "each central manager: from before the submission to the time that the process itself reads.",
      "",
      "Examples:",
      "  millrace bench jobs",
      "  millrace bench jobs --noop --backlog 1M",
      "  millrace bench jobs --store mysql --managers 3 --database jdbc:mysql://127.0.0.1:3306/ \\",
      "    --database-user root --latency"
    })
public final class JobsBenchCommand implements Callable<Integer> {
  /** Where central managers keep jobs. */
  enum Store {
    H2,
    MYSQL
  }

  private static final int USUAL_JOBS = 10_000;
  private static final int USUAL_STARTS = 300;
  private static final int MOST = 1_000_000;

  private final Invocation invocation;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Jobs of each run (default: 10,000; 300 with --latency).")
  private Integer jobs;

  @Option(
      names = "--noop",
      description = "Built-in no-ops, which are threads, instead of /bin/true.")
  private boolean noop;

  @Option(
      names = "--backlog",
      paramLabel = "N",
      defaultValue = "0",
      converter = CountConverter.class,
      description = "Further jobs that wait meanwhile, such as 1k or 1M.")
  private int backlog;

  @Option(
      names = "--store",
      paramLabel = "h2|mysql",
      defaultValue = "h2",
      description = "Where jobs are kept (default: ${DEFAULT-VALUE}).")
  private Store store;

  @Option(
      names = "--database",
      paramLabel = "URL",
      description =
          "A MySQL or MariaDB server: jdbc:mysql://HOST:3306/. The benchmark makes a schema of its"
              + " own there and drops it.")
  private String database;

  @Option(names = "--database-user", paramLabel = "NAME", description = "Who makes the schema.")
  private String user;

  @Option(
      names = "--database-password-file",
      paramLabel = "FILE",
      description = "A file with the password (default: none).")
  private Path passwordFile;

  @Option(
      names = "--managers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Central managers; more than one need --store mysql.")
  private int managers;

  @Option(names = "--nodes", defaultValue = "2", description = "Execution nodes.")
  private int nodes;

  @Option(
      names = "--slots",
      defaultValue = "16",
      description = "Slots of each execution node (default: ${DEFAULT-VALUE}).")
  private int slots;

  @Option(names = "--runs", defaultValue = "5", description = "Runs (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--reference-at-a-time",
      paramLabel = "N",
      description = "Processes of the references at a time (default: the processors).")
  private Integer atATime;

  @Option(names = "--latency", description = "The delay of single starts instead of a rate.")
  private boolean latency;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where all files lie (default: a temporary folder); say which disk.")
  private Path folder;

  /** The command of that invocation. */
  public JobsBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    boolean kept =
        latency
            ? new StartDelayBench(invocation, plan()).run()
            : new JobsBench(invocation, plan()).run();
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }

  private JobsBenchPlan plan() {
    Refusal.outside("--jobs", jobs, 1, MOST);
    Refusal.outside("--backlog", backlog, 0, MOST);
    Refusal.outside("--managers", managers, 1, 5);
    Refusal.outside("--nodes", nodes, 1, 20);
    Refusal.outside("--slots", slots, 1, 1_000);
    Refusal.outside("--runs", runs, 1, 100);
    Refusal.outside("--reference-at-a-time", atATime, 1, 1_000);
    Refusal.unless(
        store == Store.MYSQL || database == null, "--database", "give --store mysql with it");
    Refusal.unless(
        database == null || database.startsWith("jdbc:mysql://"),
        "--database",
        "write jdbc:mysql://HOST:3306/, not " + database);
    Refusal.unless(
        store == Store.H2 || database != null,
        "--store mysql",
        "needs a server; give --database jdbc:mysql://HOST:3306/ --database-user NAME"
            + " [--database-password-file FILE]");
    Refusal.unless(
        store == Store.MYSQL || managers == 1,
        "--managers",
        "more than one need --store mysql, because H2 belongs to one process");
    Refusal.unless(!latency || backlog == 0, "--backlog", "--latency measures an idle cluster");
    int usual = latency ? USUAL_STARTS : USUAL_JOBS;
    return new JobsBenchPlan(
        jobs == null ? usual : jobs,
        noop,
        backlog,
        database == null
            ? null
            : new JobsBenchPlan.Server(database, user == null ? "" : user, passwordFile),
        managers,
        nodes,
        slots,
        runs,
        atATime == null ? Runtime.getRuntime().availableProcessors() : atATime,
        folder);
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
