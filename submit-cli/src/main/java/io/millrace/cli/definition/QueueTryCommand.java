package io.millrace.cli.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.cli.definition.Trial.TrialFile;
import io.millrace.cli.definition.Trial.Verdict;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.WorkerSpecs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace queue try}. */
@Command(
    name = "try",
    description = {
      "Runs one worker of a queue definition with sample events and shows its output.",
      "The live queue is not affected; the definition need not be applied.",
      "A worker with input: pull or stream runs on this machine, as you, against a local",
      "queue that has only the sample events; no server is called.",
      "",
      "A queue of sessions cannot be tried."
    },
    footer = {
      "",
      "Examples:",
      "  millrace queue try -f alert.yaml --event '{\"user\":17}'",
      "  millrace queue try -f queues.yaml alert --events samples.ndjson --node e2",
      "",
      "The exit code is that of the worker; 128 + n for signal n."
    })
public final class QueueTryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "Definition file (required); - for standard input.")
  private Path file;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description = "Name of the queue if the file has several.")
  private String name;

  @Option(
      names = "--event",
      paramLabel = "JSON",
      description = "Data of a sample event; may be repeated.")
  private final List<String> events = new ArrayList<>();

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = "Data of sample events, one event per line.")
  private Path eventFile;

  @Option(names = "--node", paramLabel = "NAME", description = "Execution node to run on.")
  private String node;

  public QueueTryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    SampleEvents samples = SampleEvents.of(events, eventFile, invocation.terminal().in());
    return new QueueTrial(invocation).run(new TrialFile(file, invocation), name, samples, node);
  }

  /**
   * Events for a trial, as a worker reads them on its input.
   *
   * @param data of each
   */
  record SampleEvents(List<JsonNode> data) {
    SampleEvents {
      data = List.copyOf(data);
    }

    /**
     * Those of the command's options.
     *
     * @param texts each one event's data
     * @param file one event's data a line, {@code -} for standard input; null for none
     * @throws MillraceException INVALID_REQUEST naming the option and the line
     */
    static SampleEvents of(List<String> texts, Path file, InputStream standardInput)
        throws IOException {
      List<JsonNode> data = new ArrayList<>();
      for (String text : texts) {
        data.add(read(text, "--event", "; a file is given with --events"));
      }
      if (file != null) {
        int line = 0;
        for (String text : lines(file, standardInput)) {
          line++;
          if (!text.isBlank()) {
            data.add(read(text, "--events, line " + line, ""));
          }
        }
      }
      return new SampleEvents(data);
    }

    int count() {
      return data.size();
    }

    /** The first ones of them. */
    SampleEvents first(int max) {
      return new SampleEvents(data.subList(0, Math.min(max, data.size())));
    }

    /** One a line, as execution nodes write them. */
    String lines(String queue) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < data.size(); i++) {
        String id = "sample-" + (i + 1);
        DeliveredEvent event = new DeliveredEvent(null, id, queue, 1, null, data.get(i));
        lines.append(Json.write(event)).append('\n');
      }
      return lines.toString();
    }

    private static List<String> lines(Path file, InputStream standardInput) throws IOException {
      if (file.toString().equals("-")) {
        return new String(standardInput.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      }
      OptionRefusal.unless(Files.isReadable(file), "--events", "cannot read file " + file);
      return Files.readAllLines(file);
    }

    private static JsonNode read(String text, String option, String hint) {
      try {
        return Json.read(text, JsonNode.class);
      } catch (MillraceException e) {
        throw OptionRefusal.of(option, e.getMessage() + hint);
      }
    }
  }

  /** What the outcome of a worker would have meant for real events of the queue. Pure. */
  static final class EventOutcome {
    private EventOutcome() {}

    /** As text; the same rules by which execution nodes close a batch (H-094). */
    static String of(Outcome outcome, int events, QueueDefinition queue) {
      String them = events == 1 ? "the event" : "the " + events + " events";
      return switch (outcome) {
        case SUCCEEDED, IDLE -> them + " would be acknowledged";
        case FAILED, SIGNALLED, TIMED_OUT, MEMORY_EXCEEDED -> failed(them, events, queue);
        case START_FAILED, STOPPED, LOST ->
            ("%s would be redelivered without counting as failed; after %d such returns an"
                    + " event becomes a dead letter")
                .formatted(them, queue.maxReturns());
      };
    }

    private static String failed(String them, int events, QueueDefinition queue) {
      if (events > 1) {
        return "%s would be redelivered one by one; an event that fails %d times becomes a dead letter"
            .formatted(them, queue.maxAttempts());
      }
      return queue.maxAttempts() == 1
          ? them + " would become a dead letter"
          : "%s would be redelivered; after %d failures it becomes a dead letter"
              .formatted(them, queue.maxAttempts());
    }
  }

  /**
   * One worker of a queue with sample events. Separate from the command, because only the class
   * path of servers has the rules by which workers are created.
   */
  private static final class QueueTrial {
    private final Invocation invocation;

    QueueTrial(Invocation invocation) {
      this.invocation = invocation;
    }

    /** Runs it; returns the exit code of the worker. */
    int run(TrialFile file, String name, SampleEvents events, String node)
        throws IOException, InterruptedException {
      QueueDefinition queue = file.definition(QueueKind.KEYWORD, name, QueueDefinition.class);
      OptionRefusal.unless(queue.worker() != null, "NAME", queue.name() + " has no worker to try");
      OptionRefusal.unless(
          !queue.ofSessions(),
          "NAME",
          "%s is a queue of sessions, which 'queue try' cannot run; apply it under another name, send events of a test key to that and watch 'millrace session show'"
              .formatted(queue.name()));
      if (queue.worker().input() == WorkerInput.PULL
          || queue.worker().input() == WorkerInput.STREAM) {
        return local(queue, events, node);
      }
      boolean readsInput = queue.worker().input() == WorkerInput.STDIN;
      OptionRefusal.unless(
          !readsInput || events.count() > 0,
          "--event",
          "specify sample events, such as --event '{\"user\":17}' or --events FILE");
      OptionRefusal.unless(
          readsInput || events.count() == 0,
          "--event",
          "not applicable: the worker of %s reads real events from an external source"
              .formatted(queue.name()));
      SampleEvents batch = events.first(queue.batch());
      if (batch.count() < events.count()) {
        invocation.note(
            "a worker receives at most %d events; the remaining ones are ignored"
                .formatted(queue.batch()));
      }
      JobView job = new Trial(invocation).run(spec(queue, batch, readsInput), node);
      return new Verdict(invocation)
          .report(
              job,
              readsInput
                  ? EventOutcome.of(Verdict.outcome(job), batch.count(), queue)
                  : "its events are external; what happened to them is not known to Millrace");
    }

    private int local(QueueDefinition queue, SampleEvents events, String node)
        throws IOException, InterruptedException {
      boolean stream = queue.worker().input() == WorkerInput.STREAM;
      OptionRefusal.unless(
          node == null,
          "--node",
          "not applicable: the worker of %s %s, so it runs on this machine %s"
              .formatted(
                  queue.name(),
                  stream
                      ? "gets its events one by one (input: stream)"
                      : "leases its events itself (input: pull)",
                  stream
                      ? "with the sample events on its standard input"
                      : "against a local queue of sample events"));
      OptionRefusal.unless(
          events.count() > 0,
          "--event",
          "specify sample events, such as --event '{\"user\":17}' or --events FILE");
      return stream
          ? new StreamTrial(invocation).run(queue, events.data())
          : new PullTrial(invocation).run(queue, events.data());
    }

    private static JobSpec spec(QueueDefinition queue, SampleEvents events, boolean readsInput) {
      JobSpec worker = WorkerSpecs.worker(new VersionedQueue(queue, 1), "any");
      Map<String, String> env = new HashMap<>(worker.env());
      env.put("MILLRACE_QUEUE", queue.name());
      JobDraft draft = worker.draft().input(null).preferredNode(null);
      if (readsInput) {
        env.put("MILLRACE_EVENTS", Integer.toString(events.count()));
        draft.stdin(events.lines(queue.name()));
      }
      return draft.env(env).spec();
    }
  }
}
