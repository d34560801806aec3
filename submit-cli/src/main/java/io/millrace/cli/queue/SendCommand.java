package io.millrace.cli.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.SendAnswer;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Figures;
import io.millrace.cli.queue.EventSource.EventBatch;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "send",
    description = "Sends events to a queue through a load balancer.",
    footer = {
      "",
      "Examples:",
      "  millrace queue send alert --data '{\"host\":\"web1\"}'",
      "  millrace queue send alert --id web1-down --data '{\"host\":\"web1\"}'",
      "  millrace queue send alert events.json      (one event, or an array of events)",
      "  millrace queue send alert --lines events.ndjson",
      "  generate | millrace queue send alert --lines -",
      "  millrace queue send alert --delay 10m --priority 5 --data '{}'",
      "",
      "Of a queue of sessions each event is stored or refused for itself; if any is refused, the exit",
      "code is 1.",
      "",
      "--data is the event here. The data directory of 'millrace up' is written before the command,",
      "'millrace --data DIR queue send …', or in MILLRACE_DATA."
    })
final class SendCommand implements Callable<Integer> {
  private static final Pattern BATCH = Pattern.compile("[\\x21-\\x7e]{1,100}");
  private static final int LONGEST_OF_LINES = 90;

  private final Invocation invocation;

  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the queue.")
  private String queue;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "File with JSON, or - for standard input.")
  private String file;

  @Option(names = "--data", paramLabel = "JSON", description = "Data of one event.")
  private String data;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "ID of the event of --data (default: a generated one).")
  private String id;

  @Option(
      names = "--lines",
      description = "Read one event per line (default for .ndjson and .jsonl).")
  private boolean lines;

  @Option(
      names = "--batch",
      paramLabel = "NAME",
      description = {
        "Batch name; repeated within ten minutes, the events are stored only once.",
        "With --lines, batches are named NAME-0, NAME-1 and so on."
      })
  private String batch;

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      description = "Delay before delivery, such as 10s; an event's own envelope takes precedence.")
  private Duration delay;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "Priority 0 (default) to 9; higher is delivered first.")
  private Integer priority;

  SendCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    OptionRefusal.unless(
        batch == null || BATCH.matcher(batch).matches(),
        "--batch",
        "use 1 to 100 printable ASCII characters without spaces; without --batch, a name is generated");
    String name = batch == null ? "cli-" + UUID.randomUUID() : batch;
    long accepted = 0;
    long repeated = 0;
    String first = null;
    String last = null;
    TreeSet<String> nodes = new TreeSet<>();
    SendRefusals refusals = new SendRefusals(invocation);
    boolean ended = false;
    try (EventSource source = open(name)) {
      QueueClient balancers = invocation.connection().balancers();
      EventBatch next = source.next();
      boolean ends = false;
      while (next != null && !ends) {
        SendAnswer answer = send(balancers, next, accepted);
        accepted += answer.accepted();
        repeated += answer.repeated() ? answer.accepted() : 0;
        first = first == null ? next.name() : first;
        last = next.name();
        nodes.addAll(List.of(answer.node().split(",")));
        ends = refusals.note(answer);
        if (invocation.json()) {
          invocation.terminal().json(answer);
        }
        next = source.next();
      }
      ended = ends && next != null;
    }
    if (first == null) {
      throw invalid("the input contains no events");
    }
    if (!invocation.json()) {
      String names = first.equals(last) ? first : first + " to " + last;
      String events = accepted == 1 ? "event" : "events";
      invocation.line(
          "%s %s accepted by %s as %s"
              .formatted(
                  Figures.count(accepted),
                  events,
                  nodes.equals(Set.of("")) ? "no node" : String.join(", ", nodes),
                  names));
      if (repeated > 0) {
        invocation.line(
            ("  %s of them were already stored under this batch name and were not stored"
                    + " again; contents are not compared")
                .formatted(Figures.count(repeated)));
      }
    }
    if (!refusals.none()) {
      refusals.advise(name, ended);
      return ExitCode.FAILED.code();
    }
    return ExitCode.OK.code();
  }

  private SendAnswer send(QueueClient balancers, EventBatch next, long before) {
    try {
      return balancers.send(queue, next.name(), next.mediaType(), next.body(), delay, priority);
    } catch (MillraceException e) {
      if (before > 0) {
        invocation.note("accepted before this error: " + Figures.count(before, "event"));
      }
      throw e;
    }
  }

  private EventSource open(String name) throws java.io.IOException {
    if ((data == null) == (file == null)) {
      throw invalid("specify the events with either --data or FILE (- for standard input)");
    }
    if (data != null) {
      return EventSource.ofText(name, data, id);
    }
    if (id != null) {
      throw invalid("--id requires --data; in files, each event has its own ID");
    }
    boolean perLine = lines || file.endsWith(".ndjson") || file.endsWith(".jsonl");
    OptionRefusal.unless(
        !perLine || batch == null || batch.length() <= LONGEST_OF_LINES,
        "--batch",
        "use at most %d characters with --lines, which adds the number of each batch"
            .formatted(LONGEST_OF_LINES));
    return EventSource.ofFile(name, file, invocation.terminal().in(), perLine);
  }

  private static MillraceException invalid(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }
}
