package io.millrace.cli.definition;

import io.millrace.cli.invocation.Invocation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace queue try}. */
@Command(
    name = "try",
    description = {
      "Runs one worker of a queue's definition with sample events and shows its output.",
      "The live queue is not touched; the definition need not be applied."
    },
    footer = {
      "",
      "Examples:",
      "  millrace queue try -f alert.yaml --event '{\"user\":17}'",
      "  millrace queue try -f queues.yaml alert --events samples.ndjson --node e2",
      "",
      "The exit code is the worker's own, 128 + n for signal n."
    })
public final class QueueTryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "The definition; - for the standard input.")
  private Path file;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description = "The queue, when the file has several.")
  private String name;

  @Option(
      names = "--event",
      paramLabel = "JSON",
      description = "A sample event's data; may be repeated.")
  private final List<String> events = new ArrayList<>();

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = "Sample events, one event's data a line.")
  private Path eventFile;

  @Option(names = "--node", paramLabel = "NAME", description = "The execution node to run on.")
  private String node;

  public QueueTryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    SampleEvents samples = SampleEvents.of(events, eventFile, invocation.terminal().in());
    return new QueueTrial(invocation)
        .run(new TrialFile(file, invocation.terminal().in()), name, samples, node);
  }
}
