package io.millrace.cli.job;

import io.millrace.api.Durations;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.FailureKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Notification;
import io.millrace.api.job.RetryPolicy;
import io.millrace.cli.output.ShellQuoting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a job asks for, in words; null for what it does not ask. */
final class SpecFormatter {
  private SpecFormatter() {}

  /** Sorted, with spaces between. */
  static String list(Collection<?> things) {
    return things.stream().map(String::valueOf).sorted().collect(Collectors.joining(" "));
  }

  /** {@code 17 ok, 18 any}. */
  static String dependencies(List<Dependency> after) {
    return after.stream()
        .map(one -> one.job() + " " + JobFormatter.word(one.end()))
        .collect(Collectors.joining(", "));
  }

  /** {@code 2 cpus, 512MB memory, gpu=1, licence solver=1}. */
  static String needs(JobSpec spec) {
    List<String> needs = new ArrayList<>();
    if (spec.cpu() != null) {
      needs.add(spec.cpu() + " cpus");
    }
    if (spec.memory() != null) {
      needs.add(spec.memory() + " memory");
    }
    counts(needs, "", spec.resources());
    counts(needs, "licence ", spec.licences());
    return needs.isEmpty() ? null : String.join(", ", needs);
  }

  private static void counts(List<String> needs, String what, Map<String, Integer> counts) {
    new TreeMap<>(counts).forEach((name, count) -> needs.add(what + name + "=" + count));
  }

  /** {@code 3, first after 1s, at most 5m, on exit signal, not after exit code 2}. */
  static String retries(RetryPolicy retry) {
    if (retry.max() == 0) {
      return null;
    }
    StringBuilder words = new StringBuilder().append(retry.max());
    words.append(", first after ").append(Durations.format(retry.backoff()));
    words.append(", at most ").append(Durations.format(retry.maxBackoff()));
    if (retry.on().size() < FailureKind.values().length) {
      words.append(", on ").append(list(retry.on()));
    }
    if (!retry.exitCodes().isEmpty()) {
      words.append(", only exit codes ").append(list(new TreeSet<>(retry.exitCodes())));
    }
    if (!retry.finalExitCodes().isEmpty()) {
      words.append(", never exit codes ").append(list(new TreeSet<>(retry.finalExitCodes())));
    }
    return words.toString();
  }

  /** {@code https://host/hook when failed}. */
  static String notification(Notification notification) {
    if (notification == null) {
      return null;
    }
    List<String> whom = new ArrayList<>();
    if (notification.webhook() != null) {
      whom.add(notification.webhook());
    }
    if (!notification.command().isEmpty()) {
      whom.add(ShellQuoting.of(notification.command()));
    }
    String when =
        notification.on().stream()
            .sorted()
            .map(JobFormatter::word)
            .collect(Collectors.joining(", "));
    return String.join(" and ", whom) + " when " + when;
  }
}
