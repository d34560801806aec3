package io.millrace.cli.job;

import io.millrace.api.WebAddress;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.ShellQuoting;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options about notifications. Set by the parser. */
final class NotifyOptions {
  @Option(
      names = "--notify-webhook",
      paramLabel = "URL",
      description = "URL (http or https) that receives notifications as JSON.")
  private String webhook;

  @Option(
      names = "--notify-command",
      paramLabel = "CMD",
      description =
          "Command to run as a job, with the notification in MILLRACE_NOTIFY_…: '/opt/page ops'.")
  private String command;

  @Option(
      names = "--notify-on",
      split = ",",
      paramLabel = "OCCASION",
      description = "When to notify: failed, late (default: failed).")
  private final Set<Notification.Occasion> occasions = new LinkedHashSet<>();

  @Option(
      names = "--notify-late-after",
      paramLabel = "TIME",
      description = "Waiting time after which the job counts as late (default: 1h).")
  private Duration lateAfter;

  void apply(JobSpec base, JobDraft draft) {
    Notification old = base.notification();
    if (webhook == null && command == null && old == null) {
      String fix = "also set --notify-webhook or --notify-command";
      OptionRefusal.unless(occasions.isEmpty(), "--notify-on", fix);
      OptionRefusal.unless(lateAfter == null, "--notify-late-after", fix);
      return;
    }
    draft.notification(
        new Notification(
            occasions.isEmpty() && old != null ? old.on() : occasions,
            command == null ? oldCommand(old) : commandLine(),
            webhook == null && old != null ? old.webhook() : address(),
            lateAfter == null && old != null ? old.lateAfter() : lateAfter,
            old == null ? null : old.hungAfter()));
  }

  private static List<String> oldCommand(Notification old) {
    return old == null ? null : old.command();
  }

  private List<String> commandLine() {
    try {
      List<String> arguments = ShellQuoting.split(command);
      OptionRefusal.unless(!arguments.isEmpty(), "--notify-command", "is empty; specify a program");
      return arguments;
    } catch (IllegalArgumentException e) {
      throw OptionRefusal.of("--notify-command", e.getMessage());
    }
  }

  private String address() {
    if (webhook == null) {
      return null;
    }
    try {
      WebAddress.ofWebhook(webhook);
      return webhook;
    } catch (IllegalArgumentException e) {
      throw OptionRefusal.of("--notify-webhook", e.getMessage());
    }
  }
}
