package io.millrace.cli.output;

import io.millrace.api.notification.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes whom a job, a task or a queue notifies. Pure. */
public final class NotificationFormatter {
  private NotificationFormatter() {}

  /** Such as {@code https://host/hook when failed}; null for null. */
  public static String of(Notification notification) {
    if (notification == null) {
      return null;
    }
    List<String> recipients = new ArrayList<>();
    if (notification.webhook() != null) {
      recipients.add(notification.webhook());
    }
    if (!notification.command().isEmpty()) {
      recipients.add(ShellQuoting.of(notification.command()));
    }
    String when =
        notification.on().stream()
            .sorted()
            .map(occasion -> occasion.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return String.join(" and ", recipients) + " when " + when;
  }
}
