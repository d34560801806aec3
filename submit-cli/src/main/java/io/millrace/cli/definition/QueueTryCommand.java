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
import io.millrace.api.queue.WorkerInput;
import io.millrace.cli.definition.Trial.TrialFile;
import io.millrace.cli.definition.Trial.Verdict;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.manager.queue.QueueKind;
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
     * @param given each one event's data
     * @param file one event's data a line, {@code -} for the standard input; null for none
     * @throws MillraceException INVALID_REQUEST naming the option and the line
     */
    static SampleEvents of(List<String> given, Path file, InputStream standardInput)
        throws IOException {
      List<JsonNode> data = new ArrayList<>();
      for (String text : given) {
        data.add(read(text, "--event"));
      }
      if (file != null) {
        int line = 0;
        for (String text : lines(file, standardInput)) {
          line++;
          if (!text.isBlank()) {
            data.add(read(text, "--events, line " + line));
          }
        }
      }
      return new SampleEvents(data);
    }

    int count() {
      return data.size();
    }

    /** The first ones of them. */
    SampleEvents first(int most) {
      return new SampleEvents(data.subList(0, Math.min(most, data.size())));
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
      Refusal.unless(Files.isReadable(file), "--events", "there is no readable file " + file);
      return Files.readAllLines(file);
    }

    private static JsonNode read(String text, String option) {
      try {
        return Json.read(text, JsonNode.class);
      } catch (MillraceException e) {
        throw Refusal.of(option, "it is no JSON: " + e.getMessage());
      }
    }
  }

  /** What a worker's end would have meant for its events, had they been the queue's. Pure. */
  static final class EventOutcome {
    private EventOutcome() {}

    /** In words; the same rules by which execution nodes close a batch (H-094). */
    static String of(Outcome outcome, int events, QueueDefinition queue) {
      String them = events == 1 ? "the event" : "the " + events + " events";
      return switch (outcome) {
        case SUCCEEDED, IDLE -> them + " would be acknowledged";
        case FAILED, SIGNALLED, TIMED_OUT, MEMORY_EXCEEDED -> failed(them, events, queue);
        case START_FAILED, STOPPED, LOST ->
            them
                + " would be delivered again at no charge; after "
                + queue.maxReturns()
                + " such returns an event is a dead letter";
      };
    }

    private static String failed(String them, int events, QueueDefinition queue) {
      if (events > 1) {
        return them
            + " would be delivered again one by one; one whose worker fails "
            + queue.maxAttempts()
            + " times is a dead letter";
      }
      return queue.maxAttempts() == 1
          ? them + " would be a dead letter now"
          : them
              + " would be delivered again; after "
              + queue.maxAttempts()
              + " failures it is a dead letter";
    }
  }

  /**
   * One worker of a queue with sample events. Apart from the command, because only the servers'
   * class path has the rules by which workers are made.
   */
  private static final class QueueTrial {
    private final Invocation invocation;

    QueueTrial(Invocation invocation) {
      this.invocation = invocation;
    }

    /** Runs it; gives the worker's exit code. */
    int run(TrialFile file, String name, SampleEvents events, String node)
        throws IOException, InterruptedException {
      QueueDefinition queue = file.definition(QueueKind.WORD, name, QueueDefinition.class);
      Refusal.unless(queue.worker() != null, "NAME", queue.name() + " has no worker to try");
      Refusal.unless(
          queue.worker().input() != WorkerInput.PULL,
          "NAME",
          "the worker of "
              + queue.name()
              + " takes its events from a live segment by itself (input: pull), which a trial must"
              + " not touch; apply the definition under another name and send events there");
      boolean fed = queue.worker().input() == WorkerInput.STDIN;
      Refusal.unless(
          !fed || events.count() > 0,
          "--event",
          "give sample events, for instance --event '{\"user\":17}' or --events FILE");
      Refusal.unless(
          fed || events.count() == 0,
          "--event",
          "leave it out: the worker of "
              + queue.name()
              + " gets no events from Millrace, it takes real ones from where they lie");
      SampleEvents batch = events.first(queue.batch());
      if (batch.count() < events.count()) {
        invocation.note(
            "a worker gets " + queue.batch() + " events at the most, so the others are left");
      }
      JobView job = new Trial(invocation).run(spec(queue, batch, fed), node);
      return new Verdict(invocation)
          .tell(
              job,
              fed
                  ? EventOutcome.of(Verdict.outcome(job), batch.count(), queue)
                  : "its events lie outside of Millrace, and so does what became of them");
    }

    private static JobSpec spec(QueueDefinition queue, SampleEvents events, boolean fed) {
      JobSpec worker = WorkerSpecs.worker(new VersionedQueue(queue, 1), "any");
      Map<String, String> env = new HashMap<>(worker.env());
      env.put("MILLRACE_QUEUE", queue.name());
      JobDraft draft = worker.draft().input(null).preferredNode(null);
      if (fed) {
        env.put("MILLRACE_EVENTS", Integer.toString(events.count()));
        draft.stdin(events.lines(queue.name()));
      }
      return draft.env(env).spec();
    }
  }
}
