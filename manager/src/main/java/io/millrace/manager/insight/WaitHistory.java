package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.insight.ShapeWaitDao.Span;
import io.millrace.manager.insight.WaitHistory.WaitingTimes.WaitingTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Combines a job's own history with what its shape waited for, so that the whole waiting time is
 * explained. Pure.
 */
final class WaitHistory {
  /** The reason for times without a record: too short, or without a dispatch. */
  static final WaitReason UNRECORDED = new WaitReason(WaitCode.SOON, "the next dispatch");

  // A reason is recorded a little after it begins.
  private static final Duration LATE = Duration.ofSeconds(3);

  private final List<WaitSpan> spans = new ArrayList<>();
  private final List<Span> shape;
  private final Instant now;

  private WaitHistory(List<Span> shape, Instant now) {
    this.shape = shape;
    this.now = now;
  }

  /**
   * What the job waited for, oldest first, without gaps within each wait.
   *
   * @param times the waiting times of the job
   * @param shape what its shape waited for, oldest first, not overlapping
   * @param now by the database's clock
   */
  static List<WaitSpan> of(List<WaitingTime> times, List<Span> shape, Instant now) {
    WaitHistory history = new WaitHistory(shape, now);
    for (WaitingTime time : times) {
      if (time.from().isAfter(now)) {
        continue;
      }
      if (time.code() == null) {
        history.placing(time);
      } else {
        boolean open = time.until() == null || time.until().isAfter(now);
        history.add(
            new WaitReason(time.code(), time.words()), time.from(), open ? null : time.until());
      }
    }
    return history.spans;
  }

  private void placing(WaitingTime time) {
    Instant at = time.from();
    Instant end = Objects.requireNonNullElse(time.until(), now);
    for (Span span : shape) {
      Instant until = span.until() == null || span.until().isAfter(end) ? end : span.until();
      if (!span.from().isBefore(end) || !until.isAfter(at)) {
        continue;
      }
      Instant from = span.from().isAfter(at) ? span.from() : at;
      if (Duration.between(at, from).compareTo(LATE) > 0) {
        add(UNRECORDED, at, from);
      } else {
        from = at;
      }
      boolean open = span.until() == null && time.until() == null;
      add(span.reason(), from, open ? null : until);
      at = until;
    }
    if (time.until() == null) {
      addOpen(at);
    } else if (at.isBefore(end)) {
      add(UNRECORDED, at, end);
    }
  }

  private void addOpen(Instant at) {
    boolean recorded = !spans.isEmpty() && spans.get(spans.size() - 1).until() == null;
    if (!recorded) {
      add(UNRECORDED, at, null);
    }
  }

  private void add(WaitReason reason, Instant from, Instant until) {
    int last = spans.size() - 1;
    if (last >= 0 && continues(spans.get(last), reason, from)) {
      WaitSpan before = spans.get(last);
      spans.set(last, new WaitSpan(before.code(), before.words(), before.from(), until));
    } else if (until == null || from.isBefore(until)) {
      spans.add(new WaitSpan(reason.code(), reason.words(), from, until));
    }
  }

  private static boolean continues(WaitSpan before, WaitReason reason, Instant from) {
    return before.code() == reason.code() && from.equals(before.until());
  }

  /** Reads from a job's history when it waited and, if known, for what. Pure. */
  static final class WaitingTimes {
    // The end of the history line of a failed try that is repeated after a delay.
    private static final Pattern PAUSE = Pattern.compile(" after (\\S+)$");

    private final JobSpec spec;
    private final boolean element;
    private final List<WaitingTime> found = new ArrayList<>();

    private WaitingTimes(JobSpec spec, boolean element) {
      this.spec = spec;
      this.element = element;
    }

    /**
     * The waiting times of a job, oldest first; the last may be open.
     *
     * @param element whether it is an element of an array
     */
    static List<WaitingTime> of(JobSpec spec, boolean element, List<JobEvent> history) {
      WaitingTimes times = new WaitingTimes(spec, element);
      JobEvent since = null;
      for (JobEvent event : history) {
        if (since != null && event.state() != since.state()) {
          times.add(since, event.at());
        }
        // An event that leaves the state unchanged does not start a new time.
        since = since == null || event.state() != since.state() ? event : since;
      }
      if (since != null) {
        times.add(since, null);
      }
      return times.found;
    }

    private void add(JobEvent event, Instant until) {
      switch (event.state()) {
        case HELD -> add(WaitCode.HELD, held(event), event.at(), until);
        case BLOCKED -> blocked(event, until);
        case WAITING -> waiting(event, until);
        default -> {
          // Not a waiting state.
        }
      }
    }

    private void blocked(JobEvent event, Instant until) {
      if (element) {
        add(WaitCode.ARRAY_TURN, "its turn in its array", event.at(), until);
      } else if (!spec.after().isEmpty()) {
        String jobs =
            spec.after().stream()
                .map(dependency -> Long.toString(dependency.job()))
                .collect(Collectors.joining(", "));
        String noun = spec.after().size() == 1 ? "job " : "jobs ";
        add(WaitCode.DEPENDENCY, "the end of " + noun + jobs, event.at(), until);
      } else {
        add(WaitCode.LANE, "earlier jobs of lane " + spec.lane(), event.at(), until);
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
      found.add(new WaitingTime(code, words, from, until));
    }

    /**
     * A time during which a job waited, according to its own history.
     *
     * @param code the reason; null when it waited to be placed, which its shape's history explains
     * @param words human-readable reason; null likewise
     * @param from by the database's clock
     * @param until its end; null if open
     */
    record WaitingTime(WaitCode code, String words, Instant from, Instant until) {}
  }
}
