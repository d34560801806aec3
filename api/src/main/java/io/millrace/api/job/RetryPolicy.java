package io.millrace.api.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * When a failed job is retried automatically.
 *
 * @param max retries after the first attempt
 * @param backoff wait before the first retry; doubles with each
 * @param maxBackoff the longest wait
 * @param on kinds of failure that are retried; null for all. Without NODE_LOST a job whose node is
 *     lost fails; with it, such an attempt is repeated and not counted
 * @param exitCodes exit codes that are retried; empty or null for all
 * @param finalExitCodes exit codes that are never retried; null for none
 * @param scale how a resource grows when an attempt exceeded it (J-12); null to leave it as it is
 * @param fallback pools that are tried in this order when no node of the job's pool has the memory
 *     that it needs then; null for none
 */
public record RetryPolicy(
    int max,
    Duration backoff,
    Duration maxBackoff,
    Set<FailureKind> on,
    Set<Integer> exitCodes,
    Set<Integer> finalExitCodes,
    ResourceScale scale,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> fallback) {
  /** No retries except after the loss of a node. */
  public static final RetryPolicy NONE = upTo(0);

  public RetryPolicy {
    if (max < 0) {
      throw new IllegalArgumentException("retries must not be negative: " + max);
    }
    backoff = backoff == null ? Duration.ofSeconds(1) : backoff;
    maxBackoff = maxBackoff == null ? Duration.ofMinutes(5) : maxBackoff;
    // In one order, so that equal definitions have equal texts.
    on = on == null ? EnumSet.allOf(FailureKind.class) : on;
    on = Collections.unmodifiableSet(new TreeSet<>(on));
    exitCodes = sorted(exitCodes);
    finalExitCodes = sorted(finalExitCodes);
    fallback = fallback == null ? List.of() : List.copyOf(fallback);
  }

  /** A policy that leaves requests for resources as they are. */
  public RetryPolicy(
      int max,
      Duration backoff,
      Duration maxBackoff,
      Set<FailureKind> on,
      Set<Integer> exitCodes,
      Set<Integer> finalExitCodes) {
    this(max, backoff, maxBackoff, on, exitCodes, finalExitCodes, null, null);
  }

  private static Set<Integer> sorted(Set<Integer> codes) {
    return codes == null ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(codes));
  }

  /** Retries of every failure, with the default waits. */
  public static RetryPolicy upTo(int max) {
    return upTo(max, null, null);
  }

  /** Retries of every failure; null for the default waits. */
  public static RetryPolicy upTo(int max, Duration backoff, Duration maxBackoff) {
    return new RetryPolicy(max, backoff, maxBackoff, null, null, null);
  }

  /** The same policy with another scale and other fallback pools; null for none. */
  public RetryPolicy scaled(ResourceScale by, List<String> pools) {
    return new RetryPolicy(max, backoff, maxBackoff, on, exitCodes, finalExitCodes, by, pools);
  }

  /** Whether such a failure is retried; the exit code is null if there is none. */
  public boolean covers(FailureKind kind, Integer exitCode) {
    if (!on.contains(kind)) {
      return false;
    }
    if (kind != FailureKind.EXIT || exitCode == null) {
      return true;
    }
    return !finalExitCodes.contains(exitCode)
        && (exitCodes.isEmpty() || exitCodes.contains(exitCode));
  }

  /** Whether a job is retried on another node when its node is lost. */
  @JsonIgnore
  public boolean survivesNodes() {
    return on.contains(FailureKind.NODE_LOST);
  }

  /** The wait before the retry after that many failed attempts. */
  public Duration waitAfter(int failedTries) {
    Duration wait = backoff;
    for (int i = 1; i < failedTries && wait.compareTo(maxBackoff) < 0; i++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(maxBackoff) < 0 ? wait : maxBackoff;
  }

  /** Why an attempt failed, which decides whether it is retried. */
  public enum FailureKind {
    /** An exit code other than 0. */
    EXIT,
    /** A signal that Millrace did not send. */
    SIGNAL,
    /** Its time limit. */
    TIMEOUT,
    /** Its memory limit. */
    MEMORY,
    /** The loss of its node; tried again without being counted unless left out. */
    NODE_LOST,
    /** The program could not be started. */
    START_FAILED;

    /** Reads {@code node-lost} and {@code NODE_LOST} alike. */
    @JsonCreator
    public static FailureKind parse(String text) {
      String name = text.strip().replace('-', '_').toUpperCase(Locale.ROOT);
      return Arrays.stream(values())
          .filter(kind -> kind.name().equals(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "'"
                          + text
                          + "' is not a kind of failure; use "
                          + Arrays.stream(values())
                              .map(FailureKind::toString)
                              .collect(Collectors.joining(", "))));
    }

    @Override
    @JsonValue
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
