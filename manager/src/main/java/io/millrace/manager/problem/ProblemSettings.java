package io.millrace.manager.problem;

import io.millrace.api.Json;
import io.millrace.api.WebAddress;
import java.time.Duration;
import java.util.List;

/**
 * Where the problems of the cluster are sent on to; the same for all central managers.
 *
 * @param webhook http or https address, to which the begin and the end of a problem are posted;
 *     null for none
 * @param command argv of a job that is run for both; empty for none
 * @param after how long a problem lasts before it is sent on
 */
public record ProblemSettings(String webhook, List<String> command, Duration after) {
  /** Nothing is sent on. */
  public static final ProblemSettings DEFAULT = new ProblemSettings(null, null, null);

  private static final int LONGEST_TARGET = 4_000;

  public ProblemSettings {
    command = command == null ? List.of() : List.copyOf(command);
    after = after == null ? Duration.ofSeconds(10) : after;
    if (webhook != null) {
      requireAddress(webhook);
    }
    if (!command.isEmpty() && command.get(0).isBlank()) {
      throw new IllegalArgumentException("problems.command: the program is empty");
    }
    requireStorable("problems.webhook", webhook == null ? "" : webhook);
    // A command is stored as JSON, which is what its parts need together.
    requireStorable("problems.command", Json.write(command));
    if (after.isNegative()) {
      throw new IllegalArgumentException("problems.after must not be negative");
    }
  }

  private static void requireStorable(String key, String stored) {
    if (stored.length() > LONGEST_TARGET) {
      throw new IllegalArgumentException(
          "%s has %,d characters as it is stored; at most %,d are possible: shorten it, or call a script that has the rest"
              .formatted(key, stored.length(), LONGEST_TARGET));
    }
  }

  private static void requireAddress(String webhook) {
    try {
      WebAddress.ofWebhook(webhook);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("problems.webhook: " + e.getMessage(), e);
    }
  }

  /** Whether problems are sent on at all. */
  boolean sends() {
    return webhook != null || !command.isEmpty();
  }
}
