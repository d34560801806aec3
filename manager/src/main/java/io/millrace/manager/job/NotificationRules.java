package io.millrace.manager.job;

import static io.millrace.manager.job.Refusals.checkLength;
import static io.millrace.manager.job.Refusals.checkTexts;
import static io.millrace.manager.job.Refusals.refuse;
import static io.millrace.manager.job.Refusals.require;

import io.millrace.api.job.Notification;
import java.net.URI;
import java.time.Duration;

/** Whom a job may tell. Pure. */
final class NotificationRules {
  private static final int LONGEST_TEXT = 8192;
  private static final int MOST_WORDS = 200;
  private static final Duration SHORTEST_DELAY = Duration.ofSeconds(1);

  private NotificationRules() {}

  /** Null is allowed. */
  static void check(Notification notification) {
    if (notification == null) {
      return;
    }
    require(
        notification.command().isEmpty() != (notification.webhook() == null),
        "notify",
        "give either a command or a webhook");
    require(
        notification.command().size() <= MOST_WORDS,
        "notify.command",
        "it has " + notification.command().size() + " words; use at most " + MOST_WORDS);
    checkTexts("notify.command", notification.command(), LONGEST_TEXT);
    require(
        notification.command().isEmpty() || !notification.command().get(0).isBlank(),
        "notify.command",
        "its first word, the program, is empty");
    if (notification.webhook() != null) {
      checkLength("notify.webhook", notification.webhook(), 2000);
      checkAddress(notification.webhook());
    }
    require(
        notification.lateAfter().compareTo(SHORTEST_DELAY) >= 0,
        "notify.lateAfter",
        "use at least 1s");
  }

  private static void checkAddress(String webhook) {
    URI address;
    try {
      address = URI.create(webhook);
    } catch (IllegalArgumentException e) {
      throw refuse("notify.webhook", "'" + webhook + "' is no address: " + e.getMessage());
    }
    boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
    require(
        web && address.getHost() != null,
        "notify.webhook",
        "'" + webhook + "' is no web address; use http://host/path or https://host/path");
    require(
        address.getUserInfo() == null,
        "notify.webhook",
        "it holds a password, which would be shown; let the receiver take a path of its own");
  }
}
