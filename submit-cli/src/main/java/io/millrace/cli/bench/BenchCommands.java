package io.millrace.cli.bench;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code millrace bench …}. */
// The parser reads the signatures of all methods here also where the benchmarks are not on the
// class
// path, so none of them names a type of the bench module.
@Command(
    name = "bench",
    description = "Benchmarks Millrace on this machine, beside references of the same run.")
public final class BenchCommands extends CommandGroup {
  private BenchCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new BenchCommands(invocation)),
        "queue session puts backlog balance managers jobs workflow");
  }

  @Command(
      name = "queue",
      description = "Measures throughput and delay of put, lease and acknowledgement.",
      footer = {
        "",
        "For each batch size: putPerSecond without consumers, leaseAckPerSecond of the"
            + " stored events,",
        "and endToEndPerSecond with producers and consumers at the same time; the delays are"
            + " those of",
        "the latter, from before the put to the lease's answer. The median run by"
            + " endToEndPerSecond",
        "is printed. forcedWritesPerSecond is the limit of the disk: 4 KiB written and"
            + " forced, in the",
        "same run.",
        "",
        "Examples:",
        "  millrace bench queue",
        "  millrace bench queue --batch 100 --json"
      })
  int queue(@Mixin BenchOptions.Queue options) throws Exception {
    return new BenchRunner(invocation).queue(options).code();
  }

  @Command(
      name = "session",
      description = "Measures sessions: throughput, a million open ones, overload, and replays.",
      footer = {
        "",
        "Producers send batches of many keys and await each answer; workers complete a session"
            + " with its",
        "last event. The benchmark fails if an accepted event is never delivered, the events"
            + " of a key do",
        "not come in order to one worker at a time, a session is never completed, or an event"
            + " that is",
        "sent again is not reported. queueEventsPerSecond is endToEndPerSecond of an ordinary"
            + " queue with",
        "the same load, in the same run.",
        "",
        "--open measures the time to open, assign and complete a session while 1,000, 10,000 …"
            + " others",
        "are open, and the node's heap; it fails if the last is more than three times the first.",
        "--overload offers the events before any worker starts; it fails if more than --cap"
            + " sessions wait",
        "at any time, or an event is refused for ever. --from sends the events of a file, each"
            + " after",
        "those that it names, and with --kill-every kills workers and the queue node meanwhile.",
        "",
        "Examples:",
        "  millrace bench session --json",
        "  millrace bench session --open 1M --heap 1g",
        "  millrace bench session --overload",
        "  millrace bench session --from events.ndjson.gz --duplicates 0.05 --kill-every 3s"
      })
  int session(@Mixin SessionBenchOptions options) throws Exception {
    return new SessionBenchRunner(invocation).session(options).code();
  }

  @Command(
      name = "puts",
      description = "Measures the delay of single events that are put at a steady rate.",
      footer = {
        "",
        "The delay of a put counts from the time when it was due, so that a put that had to"
            + " wait for",
        "an earlier one counts in full.",
        "",
        "Example:",
        "  millrace bench puts --rate 2000 --seconds 20 --new-connections"
      })
  int puts(@Mixin BenchOptions.PutsOptions options) throws Exception {
    return new BenchRunner(invocation).puts(options).code();
  }

  @Command(
      name = "backlog",
      description = "Measures heap and put rate of a queue node with a large backlog.",
      footer = {
        "",
        "Puts the events without a consumer. The put rate on top of the full backlog is"
            + " compared with",
        "that of the empty node; the heap is the size of the live objects after a collection.",
        "",
        "Example:",
        "  millrace bench backlog --events 5000000 --heap 512m"
      })
  int backlog(@Mixin BenchOptions.Backlog options) throws Exception {
    return new BenchRunner(invocation).backlog(options).code();
  }

  @Command(
      name = "balance",
      description = "Shows weight leave an overloaded node, and nodes that are not needed.",
      footer = {
        "",
        "Three queue nodes and a load balancer run as separate processes; the store of the"
            + " third node",
        "delays each write. Load is low, then high, then low again. The benchmark passes if"
            + " the slow",
        "node becomes TOOBUSY, no node is TOOBUSY any more before the load falls, the"
            + " cluster ends on",
        "the fewest nodes, and no event is lost.",
        "",
        "Example:",
        "  millrace bench balance --svg balance.svg"
      })
  int balance(@Mixin BenchOptions.Balance options) throws Exception {
    return new BenchRunner(invocation).balance(options).code();
  }

  @Command(
      name = "managers",
      description = "Measures the processor time that many idle queue managers take.",
      footer = {
        "",
        "A queue node and an execution node run as separate processes, the central manager in this",
        "one. Each queue is empty and has one segment and one queue manager. The benchmark"
            + " passes if",
        "each queue manager decides at each tick, and the execution node and the central"
            + " manager each",
        "take less than half a processor.",
        "",
        "Example:",
        "  millrace bench managers --queues 1000 --tick 5s --time 1m"
      })
  int managers(@Mixin BenchOptions.Managers options) throws Exception {
    return new BenchRunner(invocation).managers(options).code();
  }

  @Command(
      name = "jobs",
      description = "Measures jobs per second from submission to recorded end, or start delays.",
      footer = {
        "",
        "Each run is measured beside two references: processes per second started by xargs, and by",
        "the execution node's supervisor without the platform, by default as many at a time"
            + " as there",
        "are processors. On a machine with other load, set --reference-at-a-time to the number of",
        "slots, because more concurrent processes get a larger share of the processors. After each",
        "run the row, attempt, history and files of every job are checked; the benchmark fails if",
        "anything is missing.",
        "",
        "With --latency, single jobs are submitted one after another to an idle cluster, to each",
        "central manager in turn. The delay is measured from before the submission to the"
            + " time that",
        "the process itself reads.",
        "",
        "Examples:",
        "  millrace bench jobs",
        "  millrace bench jobs --noop --backlog 1M",
        "  millrace bench jobs --store mysql --managers 3 --database jdbc:mysql://127.0.0.1:3306/ \\",
        "    --database-user root --latency"
      })
  int jobs(@Mixin BenchOptions.Jobs options) throws Exception {
    return new BenchRunner(invocation).jobs(options).code();
  }

  @Command(
      name = "workflow",
      description =
          "Measures workflows of steps that do nothing: binding, run and the API meanwhile.",
      footer = {
        "",
        "Templates of 1,000 steps in layers of ten templates, each of which needs all of the layer",
        "before it; with --single, steps that are listed one by one, each of which needs three",
        "random earlier ones.",
        "The steps write down the order in which they ran, which is checked. Jobs that do nothing",
        "are measured in the same run.",
        "",
        "Examples:",
        "  millrace bench workflow --steps 100k",
        "  millrace bench workflow --steps 1M --single --json"
      })
  int workflow(@Mixin BenchOptions.Workflow options) throws Exception {
    return new BenchRunner(invocation).workflow(options).code();
  }
}
