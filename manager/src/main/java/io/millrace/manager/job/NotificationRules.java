package io.millrace.manager.job;

import static io.millrace.manager.job.FieldChecks.checkLength;
import static io.millrace.manager.job.FieldChecks.checkTexts;
import static io.millrace.manager.job.FieldChecks.refuse;
import static io.millrace.manager.job.FieldChecks.require;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.WebAddress;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Rules for {@code notify} of jobs, tasks, queues and workflows. Pure. */
public final class NotificationRules {
  /** What can happen to a job. */
  public static final NotifyingKind OF_JOBS =
      new NotifyingKind("a job", EnumSet.of(Occasion.FAILED, Occasion.LATE));

  /** What can happen to the runs of a task with planned times. */
  public static final NotifyingKind OF_TASKS =
      new NotifyingKind(
          "a task", EnumSet.of(Occasion.FAILED, Occasion.LATE, Occasion.MISSED, Occasion.HUNG));

  /** What can happen to the runs of a task without planned times. */
  public static final NotifyingKind OF_UNPLANNED_TASKS =
      new NotifyingKind(
          "a task without planned times",
          EnumSet.of(Occasion.FAILED, Occasion.LATE, Occasion.HUNG));

  /** What can happen to a queue. */
  public static final NotifyingKind OF_QUEUES =
      new NotifyingKind("a queue", EnumSet.of(Occasion.DEAD, Occasion.PAUSED));

  /** What can happen to a queue whose events are stored elsewhere. */
  public static final NotifyingKind OF_EXTERNAL_QUEUES =
      new NotifyingKind(
          "a queue with a source, whose dead letters Millrace does not see",
          EnumSet.of(Occasion.PAUSED));

  /** What can happen to a workflow. */
  public static final NotifyingKind OF_WORKFLOWS =
      new NotifyingKind(
          "a workflow",
          EnumSet.of(
              Occasion.FAILED,
              Occasion.SUCCEEDED,
              Occasion.CANCELLED,
              Occasion.HUNG,
              Occasion.PAUSED));

  private static final int LONGEST_TEXT = 8192;
  private static final int LONGEST_COMMAND = 4000;
  private static final int MAX_ARGUMENTS = 200;
  private static final Duration SHORTEST_DELAY = Duration.ofSeconds(1);

  private NotificationRules() {}

  /**
   * Who notifies.
   *
   * @param words for messages
   * @param occasions what can happen to it
   */
  public record NotifyingKind(String words, Set<Occasion> occasions) {}

  /** Which webhooks the central managers would never call, by their settings. Thread-safe. */
  @FunctionalInterface
  public interface WebhookRule {
    /** Where no central manager is asked: what it would refuse is found by it. */
    WebhookRule ANY = webhook -> Optional.empty();

    /** Why an address is not called; empty if it may be, or is none. */
    Optional<String> refusal(String webhook);

    /** The same of a notification, with its field; null is allowed. */
    default Optional<String> problem(Notification notification) {
      return Optional.ofNullable(notification)
          .map(Notification::webhook)
          .flatMap(this::refusal)
          .map(reason -> "notify.webhook: " + reason);
    }
  }

  /** What is wrong with it, beginning with the path of the field; null is allowed. */
  public static List<String> problems(
      Notification notification, NotifyingKind kind, WebhookRule webhooks) {
    try {
      check(notification, kind);
      return webhooks.problem(notification).stream().toList();
    } catch (MillraceException e) {
      return List.of(e.getMessage());
    }
  }

  /** Null is allowed. */
  static void check(Notification notification, NotifyingKind kind) {
    if (notification == null) {
      return;
    }
    require(
        notification.command().isEmpty() != (notification.webhook() == null),
        "notify",
        "give either a command or a webhook");
    require(
        notification.command().size() <= MAX_ARGUMENTS,
        "notify.command",
        "%d arguments; use at most %d".formatted(notification.command().size(), MAX_ARGUMENTS));
    checkTexts("notify.command", notification.command(), LONGEST_TEXT);
    checkLength("notify.command", Json.write(notification.command()), LONGEST_COMMAND);
    require(
        notification.command().isEmpty() || !notification.command().get(0).isBlank(),
        "notify.command",
        "the program is empty");
    if (notification.webhook() != null) {
      checkLength("notify.webhook", notification.webhook(), 2000);
      checkAddress(notification.webhook());
    }
    notification.on().stream().sorted().forEach(occasion -> checkOccasion(occasion, kind));
    checkDelay("notify.lateAfter", notification.lateAfter());
    checkDelay("notify.hungAfter", notification.hungAfter());
    checkUsed(
        "notify.lateAfter",
        Occasion.LATE,
        !notification.lateAfter().equals(Notification.LATE_AFTER),
        notification,
        kind);
    checkUsed(
        "notify.hungAfter",
        Occasion.HUNG,
        !notification.hungAfter().equals(Notification.HUNG_AFTER),
        notification,
        kind);
  }

  private static void checkOccasion(Occasion occasion, NotifyingKind kind) {
    require(
        kind.occasions().contains(occasion),
        "notify.on",
        "%s never happens to %s; use %s"
            .formatted(
                word(occasion),
                kind.words(),
                kind.occasions().stream()
                    .sorted()
                    .map(NotificationRules::word)
                    .collect(Collectors.joining(", "))));
  }

  private static void checkDelay(String field, Duration delay) {
    require(delay.compareTo(SHORTEST_DELAY) >= 0, field, "use at least 1s");
  }

  // A time for an occasion that is not asked for would do nothing.
  private static void checkUsed(
      String field,
      Occasion occasion,
      boolean given,
      Notification notification,
      NotifyingKind kind) {
    require(
        !given || notification.on().contains(occasion),
        field,
        kind.occasions().contains(occasion)
            ? "has no effect unless notify.on contains " + word(occasion)
            : "does not apply to " + kind.words() + "; remove it");
  }

  private static String word(Occasion occasion) {
    return occasion.name().toLowerCase(Locale.ROOT);
  }

  private static void checkAddress(String webhook) {
    try {
      WebAddress.ofWebhook(webhook);
    } catch (IllegalArgumentException e) {
      throw refuse("notify.webhook", e.getMessage());
    }
  }
}
