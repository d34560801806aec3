package io.millrace.cli.workflow;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CallRepetition;
import io.millrace.api.client.CallRepetition.Pause;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.StatusLine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Waits for workflows to end, with one time limit for all of them, also while central managers are
 * restarted. Shows the progress on a terminal, and says what is paused. Not thread-safe.
 */
final class WorkflowAwaiter {
  private static final Duration MAX_POLL = Duration.ofSeconds(10);

  private final Invocation invocation;
  private final WorkflowClient workflows;
  private final Duration limit;
  private final long started;
  private final Set<ToldPause> told = new HashSet<>();

  /**
   * A pause that was told.
   *
   * @param workflow its number
   * @param template null for the whole workflow
   * @param since null for the whole workflow
   */
  private record ToldPause(long workflow, String template, Instant since) {}

  /** The time limit starts now; null for none. */
  WorkflowAwaiter(Invocation invocation, Duration limit) {
    this.invocation = invocation;
    this.workflows = invocation.central().workflows();
    this.limit = limit;
    this.started = invocation.clock().nanoTime();
  }

  /**
   * Blocks until the workflow has ended; returns its last state.
   *
   * @throws MillraceException TIMEOUT if the time limit expires first
   */
  WorkflowView end(long id) {
    StatusLine status = new StatusLine(invocation.terminal(), invocation.clock());
    try {
      WorkflowView workflow = await(id, true);
      while (!workflow.state().ended()) {
        List<String> paused = paused(workflow, status);
        if (limit != null && left().isZero()) {
          throw new MillraceException(
              ErrorCode.TIMEOUT,
              "workflow %d is still %s after %s and continues%s"
                  .formatted(
                      id,
                      WorkflowFormatter.lowerCase(workflow.state()),
                      Durations.format(limit),
                      paused.isEmpty() ? "" : "; paused: " + String.join(", ", paused)));
        }
        if (invocation.terminal().errIsTerminal()) {
          status.show("workflow " + id + ": " + WorkflowFormatter.progress(workflow.progress()));
        }
        workflow = await(id, false);
      }
      return workflow;
    } finally {
      status.end();
    }
  }

  private WorkflowView await(long id, boolean first) {
    Duration left = left();
    Duration poll = left.compareTo(MAX_POLL) < 0 ? left : MAX_POLL;
    CallRepetition repetition =
        new CallRepetition(
            Pause.OF_THREAD,
            left.compareTo(CallRepetition.PATIENCE) < 0 ? left : CallRepetition.PATIENCE,
            (failure, pause) -> invocation.note(unanswered(failure, pause)));
    return first
        ? repetition.first(() -> workflows.await(id, poll))
        : repetition.call(() -> workflows.await(id, poll));
  }

  /** What of it is paused, in words; each pause is told once. */
  private List<String> paused(WorkflowView workflow, StatusLine status) {
    long id = workflow.id();
    List<String> paused = new ArrayList<>();
    if (workflow.paused()) {
      paused.add("the workflow");
      tell(
          new ToldPause(id, null, null),
          "workflow %1$d is paused; 'millrace workflow resume %1$d' ends that".formatted(id),
          status);
    }
    for (TemplateView template : pausedTemplates(workflow)) {
      paused.add("template '%s'".formatted(template.name()));
      tell(
          new ToldPause(id, template.name(), template.pause().since()),
          "template '%s' is paused: %s; see 'millrace workflow errors %d'"
              .formatted(template.name(), template.pause().reason(), id),
          status);
    }
    return paused;
  }

  private List<TemplateView> pausedTemplates(WorkflowView workflow) {
    if (workflow.progress().failed() == 0) {
      return List.of();
    }
    try {
      return workflows.show(workflow.id()).templates().stream()
          .filter(template -> template.pause() != null && !template.pause().trying())
          .toList();
    } catch (MillraceException e) {
      // The wait goes on without; if no server answers, its next call says so.
      return List.of();
    }
  }

  private void tell(ToldPause pause, String line, StatusLine status) {
    if (told.add(pause)) {
      status.end();
      invocation.note(Escaping.text(line));
    }
  }

  private Duration left() {
    if (limit == null) {
      return CallRepetition.PATIENCE;
    }
    Duration left = limit.minusNanos(invocation.clock().nanoTime() - started);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** What is said of a call that is repeated. */
  static String unanswered(MillraceException failure, Duration pause) {
    return "%s; trying again in %s"
        .formatted(Escaping.text(failure.getMessage()), Durations.format(pause));
  }

  /** The exit code of a command that waited for this workflow. */
  static int exitCode(WorkflowView ended) {
    return ended.state() == WorkflowState.SUCCEEDED ? ExitCode.OK.code() : ExitCode.FAILED.code();
  }
}
