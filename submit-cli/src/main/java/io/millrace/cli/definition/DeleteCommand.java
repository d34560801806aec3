package io.millrace.cli.definition;

import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace delete}. */
@Command(
    name = "delete",
    description = "Deletes a definition in force. Its versions and its history are kept.",
    footer = {
      "",
      "A queue that holds events, and a task with a run in progress, are refused without an",
      "option that says what becomes of them. 'millrace definition rollback KIND NAME' creates",
      "a deleted definition again; 'millrace definition list --deleted' lists those. Jobs that",
      "were submitted by a job's definition stay.",
      "",
      "Examples:",
      "  millrace delete queue alert --drain",
      "  millrace delete queue alert --discard --yes",
      "  millrace delete task report --stop"
    })
public final class DeleteCommand implements Callable<Integer> {
  private static final String QUEUE = "queue";
  private static final String TASK = "task";
  private static final String JOB = "job";

  private final Invocation invocation;

  @Parameters(index = "0", paramLabel = "KIND", description = "Kind: queue, task or job.")
  private String kind;

  @Parameters(index = "1", paramLabel = "NAME", description = "Name of the definition.")
  private String name;

  @Option(
      names = "--drain",
      description =
          "Queue: refuse new events at once, and delete it when its workers have done the rest.")
  private boolean drain;

  @Option(names = "--discard", description = "Queue: drop its events and stop its workers.")
  private boolean discard;

  @Option(names = "--stop", description = "Task: stop its runs first.")
  private boolean stop;

  @Option(names = "--yes", description = "Do not ask for confirmation.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Print what would be deleted without doing it.")
  private boolean dryRun;

  public DeleteCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    DeletionMode mode = mode();
    // What is refused is refused before anybody is asked.
    DeletionView planned = invocation.central().delete(kind, name, new DeletionRequest(mode, true));
    if (dryRun) {
      invocation.report(
          planned, "%s %s would be deleted%s".formatted(kind, name, loss(planned, "would be")));
      invocation.note("dry run: nothing was changed");
      return 0;
    }
    if (!yes) {
      new Confirmation(invocation)
          .require(
              "deletes the %s %s%s".formatted(kind, name, loss(planned)),
              "the name of the " + kind,
              name);
    }
    // What was confirmed is this version; it may have been replaced meanwhile.
    DeletionRequest request = new DeletionRequest(mode, false, planned.version());
    DeletionView begun = invocation.central().delete(kind, name, request);
    invocation.answer(begun, () -> print(begun));
    return 0;
  }

  private DeletionMode mode() {
    OptionRefusal.unless(
        List.of(QUEUE, TASK, JOB).contains(kind),
        "KIND",
        "use queue, task or job, not '" + kind + "'");
    OptionRefusal.unless(!stop || kind.equals(TASK), "--stop", "only for a task");
    OptionRefusal.unless(!drain || kind.equals(QUEUE), "--drain", "only for a queue");
    OptionRefusal.unless(!discard || kind.equals(QUEUE), "--discard", "only for a queue");
    OptionRefusal.unless(!drain || !discard, "--drain", "not together with --discard");
    if (drain) {
      return DeletionMode.DRAIN;
    }
    if (discard) {
      return DeletionMode.DISCARD;
    }
    return stop ? DeletionMode.STOP : null;
  }

  private static String loss(DeletionView planned) {
    if (planned.mode() == DeletionMode.STOP) {
      return " and stops its runs";
    }
    return planned.dropped() == 0
        ? ""
        : " and permanently drops its " + Figures.count(planned.dropped(), "event");
  }

  /** The same after what becomes of the definition. */
  private static String loss(DeletionView deletion, String tense) {
    if (deletion.mode() == DeletionMode.STOP) {
      return "; its runs %s stopped".formatted(tense);
    }
    return deletion.dropped() == 0
        ? ""
        : "; its %s %s permanently dropped"
            .formatted(Figures.count(deletion.dropped(), "event"), tense);
  }

  private void print(DeletionView begun) {
    String subject = Escaping.text(begun.kind() + " " + begun.name());
    if (begun.state() == DeletionState.DELETED) {
      invocation.line(subject + " deleted");
      return;
    }
    invocation.line(
        subject
            + " is being deleted"
            + Escaping.text(loss(begun, begun.dropped() == 1 ? "is being" : "are being")));
    begun.waitsFor().forEach(line -> invocation.line("  waits for " + Escaping.text(line)));
    invocation.note(
        "note: 'millrace %s show %s' shows how far it is".formatted(begun.kind(), name));
  }
}
