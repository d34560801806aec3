package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.WaitCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads from a job's history when it waited and, as far as it tells, for what. Pure. */
final class Stretches {
  // How the history ends a line of a try that is repeated after a pause.
  private static final Pattern PAUSE = Pattern.compile(" after (\\S+)$");

  private final JobSpec spec;
  private final List<Stretch> found = new ArrayList<>();

  private Stretches(JobSpec spec) {
    this.spec = spec;
  }

  /** The waiting times of a job, oldest first; the last may last. */
  static List<Stretch> of(JobSpec spec, List<JobEvent> history) {
    Stretches stretches = new Stretches(spec);
    JobEvent since = null;
    for (JobEvent event : history) {
      if (since != null && event.state() != since.state()) {
        stretches.add(since, event.at());
      }
      // What happens to a job that goes on in its state begins nothing new.
      since = since == null || event.state() != since.state() ? event : since;
    }
    if (since != null) {
      stretches.add(since, null);
    }
    return stretches.found;
  }

  private void add(JobEvent event, Instant until) {
    switch (event.state()) {
      case HELD -> add(WaitCode.HELD, held(event), event.at(), until);
      case BLOCKED -> blocked(event, until);
      case WAITING -> waiting(event, until);
      default -> {
        // It doesn't wait.
      }
    }
  }

  private void blocked(JobEvent event, Instant until) {
    if (!spec.after().isEmpty()) {
      String jobs =
          spec.after().stream()
              .map(dependency -> Long.toString(dependency.job()))
              .collect(Collectors.joining(", "));
      String noun = spec.after().size() == 1 ? "job " : "jobs ";
      add(WaitCode.DEPENDENCY, "the end of " + noun + jobs, event.at(), until);
    } else {
      add(WaitCode.LANE, "its turn in lane " + spec.lane(), event.at(), until);
    }
  }

  private void waiting(JobEvent event, Instant until) {
    Optional<Instant> pause = event.attempt() == 0 ? notBefore(event) : backOff(event);
    Instant from = event.at();
    if (pause.isPresent() && pause.get().isAfter(from)) {
      Instant end = until != null && until.isBefore(pause.get()) ? until : pause.get();
      add(
          event.attempt() == 0 ? WaitCode.NOT_BEFORE : WaitCode.BACKOFF,
          event.attempt() == 0 ? "its time, " + spec.notBefore() : event.words(),
          from,
          end);
      from = end;
    }
    if (until == null || from.isBefore(until)) {
      add(null, null, from, until);
    }
  }

  private Optional<Instant> notBefore(JobEvent event) {
    return Optional.ofNullable(spec.notBefore()).filter(event.at()::isBefore);
  }

  private static Optional<Instant> backOff(JobEvent event) {
    Matcher pause = PAUSE.matcher(event.words());
    if (!pause.find()) {
      return Optional.empty();
    }
    try {
      return Optional.of(event.at().plus(Durations.parse(pause.group(1))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String held(JobEvent event) {
    return event.attempt() == 0 && event.words().startsWith("submitted")
        ? event.words() + " on hold"
        : event.words();
  }

  private void add(WaitCode code, String words, Instant from, Instant until) {
    found.add(new Stretch(code, words, from, until));
  }

  /**
   * A time during which a job waited, as its own history tells.
   *
   * @param code why; null when it waited to be placed, which its shape's history tells
   * @param words for people; null likewise
   * @param from by the database's clock
   * @param until null while it lasts
   */
  record Stretch(WaitCode code, String words, Instant from, Instant until) {}
}
