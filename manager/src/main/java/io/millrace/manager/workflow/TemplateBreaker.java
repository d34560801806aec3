package io.millrace.manager.workflow;

import io.millrace.api.Pure;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.BreakerRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Whether steps of a template may be started: not any more once its program has failed everywhere
 * (open), only a few at a time while that is tried (probing). It is changed by looks at how many
 * steps have succeeded and failed; several ends between two looks count together. Immutable.
 *
 * @param epoch of the workflow in which steps are counted; in another one it begins anew
 * @param state where it is
 * @param reason why it opened, human-readable; null if it is closed
 * @param since when it came into this state
 * @param succeeded steps that had succeeded at the last look
 * @param failed steps that had failed at the last look
 * @param recent what the last looks found, the oldest first
 */
@Pure
record TemplateBreaker(
    int epoch,
    State state,
    String reason,
    Instant since,
    int succeeded,
    int failed,
    List<Ends> recent) {
  /** The most steps at a time while it is probing. */
  static final int PROBES = 3;

  private static final int MAX_LOOKS = 50;

  // Not what the platform, the limits or somebody did to a step.
  private static final Set<Outcome> OWN =
      EnumSet.of(Outcome.FAILED, Outcome.SIGNALLED, Outcome.START_FAILED);

  enum State {
    CLOSED,
    OPEN,
    PROBING
  }

  /** Steps that ended between two looks. */
  record Ends(int succeeded, int failed) {
    int all() {
      return succeeded + failed;
    }
  }

  /**
   * How the last attempt of a step that failed ended.
   *
   * @param outcome null if it is unknown
   * @param node null if it is unknown
   * @param recorded when that attempt was placed on a node; null if it is unknown
   */
  record StepFailure(Outcome outcome, String node, Instant recorded) {}

  TemplateBreaker {
    recent = List.copyOf(recent);
  }

  /** Before the first look in the first epoch, in which all counts. */
  static TemplateBreaker fresh(Instant now) {
    return new TemplateBreaker(1, State.CLOSED, null, now, 0, 0, List.of());
  }

  /** Before the first look after a resumption: what failed before does not count. */
  static TemplateBreaker from(int epoch, int succeeded, int failed, Instant now) {
    return new TemplateBreaker(epoch, State.CLOSED, null, now, succeeded, failed, List.of());
  }

  /** The same, in this state since that time at the latest: the clock may have been set back. */
  TemplateBreaker asOf(Instant now) {
    return since.isAfter(now)
        ? new TemplateBreaker(epoch, state, reason, now, succeeded, failed, recent)
        : this;
  }

  /** After a look, before failures are judged. */
  TemplateBreaker looked(int nowSucceeded, int nowFailed, BreakerRule rule) {
    // Steps that are tried again are no longer among the failed ones.
    Ends ends = new Ends(Math.max(0, nowSucceeded - succeeded), Math.max(0, nowFailed - failed));
    List<Ends> kept = new ArrayList<>(recent);
    if (ends.all() > 0) {
      kept.add(ends);
    }
    int after = kept.stream().mapToInt(Ends::all).sum();
    while (!kept.isEmpty()
        && (after - kept.get(0).all() >= rule.window() || kept.size() > MAX_LOOKS)) {
      after -= kept.remove(0).all();
    }
    return new TemplateBreaker(epoch, state, reason, since, nowSucceeded, nowFailed, kept);
  }

  /** How many of the newest failures are to be looked at before it is judged; 0 for none. */
  int evidence(BreakerRule rule) {
    if (rule.off()) {
      return 0;
    }
    int failures = failures();
    return switch (state) {
      case OPEN -> 0;
      case PROBING ->
          successes() == 0 && failures >= PROBES ? Math.min(failures, rule.window()) : 0;
      case CLOSED ->
          failures >= rule.failures() && isShare(failures, rule)
              ? Math.min(failures, rule.window())
              : 0;
    };
  }

  private int successes() {
    return recent.stream().mapToInt(Ends::succeeded).sum();
  }

  private int failures() {
    return recent.stream().mapToInt(Ends::failed).sum();
  }

  private boolean isShare(int failures, BreakerRule rule) {
    return failures >= rule.share() * (failures + successes());
  }

  /**
   * After a look.
   *
   * @param evidence the newest failures, as many as were asked for; fewer if they are gone
   */
  TemplateBreaker judged(List<StepFailure> evidence, BreakerRule rule, Instant now) {
    if (rule.off()) {
      return state == State.CLOSED ? this : closed(now);
    }
    if (state == State.PROBING && successes() > 0) {
      return closed(now);
    }
    List<StepFailure> counting = evidence.stream().filter(this::counts).toList();
    int own = counting.size();
    long nodes =
        counting.stream().map(StepFailure::node).filter(Objects::nonNull).distinct().count();
    boolean opens =
        state == State.PROBING
            ? own >= PROBES
            : state == State.CLOSED && own >= rule.failures() && isShare(own, rule);
    if (!opens) {
      return this;
    }
    String why =
        "%d of the last %d steps failed%s"
            .formatted(
                own,
                own + Math.min(successes(), rule.window()),
                nodes > 1 ? ", on " + nodes + " nodes" : "");
    return new TemplateBreaker(epoch, State.OPEN, why, now, succeeded, failed, List.of());
  }

  // What began before some steps are tried says nothing about how these end, whenever it is
  // counted.
  private boolean counts(StepFailure failure) {
    return OWN.contains(failure.outcome())
        && (state != State.PROBING
            || (failure.recorded() != null && !failure.recorded().isBefore(since)));
  }

  /** After none of its steps counts as failed any more. */
  TemplateBreaker withoutFailures(int nowSucceeded, Instant now) {
    return new TemplateBreaker(epoch, State.CLOSED, null, now, nowSucceeded, 0, List.of());
  }

  /** After the end of all steps of its template, so that it has none to hold back. */
  TemplateBreaker withoutSteps(Instant now) {
    return state == State.CLOSED ? this : closed(now);
  }

  private TemplateBreaker closed(Instant now) {
    return new TemplateBreaker(epoch, State.CLOSED, null, now, succeeded, failed, List.of());
  }

  /** After somebody lets some steps be tried; what counts is how these end. */
  TemplateBreaker probing(int nowSucceeded, int nowFailed, Instant now) {
    return state == State.OPEN
        ? new TemplateBreaker(epoch, State.PROBING, reason, now, nowSucceeded, nowFailed, List.of())
        : this;
  }

  /** Whether something is to be known of it at the next look. */
  boolean quiet() {
    return state == State.CLOSED && failures() == 0;
  }

  /** The most steps at a time; null for any number. */
  Integer limited(Integer maxRunning) {
    return switch (state) {
      case CLOSED -> maxRunning;
      case OPEN -> 0;
      case PROBING -> maxRunning == null ? PROBES : (Integer) Math.min(PROBES, maxRunning);
    };
  }
}
