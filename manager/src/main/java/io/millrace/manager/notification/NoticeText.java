package io.millrace.manager.notification;

import io.millrace.api.notification.Notification.Occasion;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a notice about a run, a queue, a workflow or a problem says: as JSON to a web address, and
 * as MILLRACE_NOTIFY_… variables to a command. Immutable.
 *
 * @param id the same each time that this notice is sent; null until it is
 * @param occasion what happened
 * @param about {@code task}, {@code queue}, {@code workflow} or {@code problem}
 * @param name the task, the queue, the workflow, or the subject of the problem
 * @param run the run of the task; null if it is not about one
 * @param code code of the problem; null if it is not about one
 * @param severity of the problem; null if it is not about one
 * @param reason human-readable; null if there is none
 * @param count how many runs, planned times or dead letters it is about
 * @param since when that began
 * @param at time of the delivery, by the database's clock; null before
 * @param workflow the workflow; null if it is not about one
 */
public record NoticeText(
    String id,
    String occasion,
    String about,
    String name,
    Long run,
    String code,
    String severity,
    String reason,
    long count,
    Instant since,
    Instant at,
    NotedWorkflow workflow) {
  private static final int LONGEST_REASON = 1_000;

  public NoticeText {
    reason = reason == null ? null : shortened(reason, LONGEST_REASON);
  }

  /**
   * How far a workflow is.
   *
   * @param id its number
   * @param runKey empty for none
   * @param state as a word
   * @param failedSteps the first of them
   */
  public record NotedWorkflow(
      long id,
      String runKey,
      String state,
      int steps,
      int succeeded,
      int failed,
      int cancelled,
      List<String> failedSteps) {}

  /** About a workflow. */
  public static NoticeText ofWorkflow(
      String occasion, String name, NotedWorkflow workflow, String reason, Instant since) {
    return new NoticeText(
        null, occasion, "workflow", name, null, null, null, reason, 1, since, null, workflow);
  }

  /** About a task; the run is null if there is none. */
  public static NoticeText ofTask(
      String occasion, String task, Long run, String reason, long count, Instant since) {
    return new NoticeText(
        null, occasion, "task", task, run, null, null, reason, count, since, null, null);
  }

  /** About a queue. */
  public static NoticeText ofQueue(
      String occasion, String queue, String reason, long count, Instant since) {
    return new NoticeText(
        null, occasion, "queue", queue, null, null, null, reason, count, since, null, null);
  }

  /** The same as it is sent. */
  NoticeText sent(String id, long added, Instant now) {
    long number = count + added;
    String words = Occasion.DEAD.name().equals(occasion) ? died(number) + "; " + reason : reason;
    return new NoticeText(
        id, occasion, about, name, run, code, severity, words, number, since, now, workflow);
  }

  private static String died(long events) {
    return "%,d event%s become %s"
        .formatted(
            events,
            events == 1 ? " has" : "s have",
            events == 1 ? "a dead letter" : "dead letters");
  }

  /** For the environment of a command; values that are unknown are left out. */
  Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>();
    put(variables, "ID", id);
    put(variables, "OCCASION", occasion);
    put(variables, "ABOUT", about);
    put(variables, "NAME", name);
    put(variables, "RUN", run);
    put(variables, "CODE", code);
    put(variables, "SEVERITY", severity);
    put(variables, "REASON", reason);
    put(variables, "COUNT", count);
    put(variables, "SINCE", since);
    put(variables, "AT", at);
    if (workflow != null) {
      put(variables, "WORKFLOW", workflow.id());
      put(variables, "RUN_KEY", workflow.runKey());
      put(variables, "STATE", workflow.state());
      put(variables, "STEPS", workflow.steps());
      put(variables, "SUCCEEDED", workflow.succeeded());
      put(variables, "FAILED", workflow.failed());
      put(variables, "CANCELLED", workflow.cancelled());
      put(variables, "FAILED_STEPS", String.join(", ", workflow.failedSteps()));
    }
    return variables;
  }

  /** The text, or its beginning with an ellipsis if it is longer than so many characters. */
  static String shortened(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
  }

  private static void put(Map<String, String> variables, String name, Object value) {
    if (value != null) {
      variables.put("MILLRACE_NOTIFY_" + name, value.toString().replace('\0', ' '));
    }
  }
}
