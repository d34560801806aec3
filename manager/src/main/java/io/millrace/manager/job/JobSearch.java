package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Conditions that jobs must all meet.
 *
 * @param kinds empty for every kind
 * @param elements whether elements of arrays match as well
 * @param states empty for every state
 * @param arrays only elements of these arrays; empty for any
 * @param runs only jobs of these runs of tasks; empty for any
 * @param ids only these jobs; empty for any
 * @param texts further conditions
 * @param exits conditions on the exit code of the last ended attempt
 * @param times conditions on times
 */
public record JobSearch(
    Set<JobKind> kinds,
    boolean elements,
    Set<JobState> states,
    Set<Long> arrays,
    Set<Long> runs,
    Set<Long> ids,
    List<TextCondition> texts,
    List<ExitCondition> exits,
    List<TimeCondition> times) {
  /** Every job, of whatever kind. */
  public static final JobSearch ALL =
      new JobSearch(
          Set.of(), true, Set.of(), Set.of(), Set.of(), Set.of(), List.of(), List.of(), List.of());

  public JobSearch {
    kinds = Set.copyOf(kinds);
    states = Set.copyOf(states);
    arrays = Set.copyOf(arrays);
    runs = Set.copyOf(runs);
    ids = Set.copyOf(ids);
    texts = List.copyOf(texts);
    exits = List.copyOf(exits);
    times = List.copyOf(times);
  }

  /** The matching states, in the order of their declaration. */
  public Set<JobState> wantedStates() {
    return states.isEmpty() ? EnumSet.allOf(JobState.class) : EnumSet.copyOf(states);
  }

  /** The matching kinds. */
  public Set<JobKind> wantedKinds() {
    return kinds.isEmpty() ? EnumSet.allOf(JobKind.class) : EnumSet.copyOf(kinds);
  }

  /** Whether it limits nothing but the kind of jobs. */
  public boolean unbounded() {
    return states.isEmpty()
        && arrays.isEmpty()
        && runs.isEmpty()
        && ids.isEmpty()
        && texts.isEmpty()
        && exits.isEmpty()
        && times.isEmpty();
  }

  /** The same search, of failed jobs only; elements of arrays are jobs of their own in it. */
  public JobSearch failed() {
    return new JobSearch(
        kinds, true, EnumSet.of(JobState.FAILED), arrays, runs, ids, texts, exits, times);
  }

  /** The same search with times that were given as ages relative to this time. */
  public JobSearch at(Instant now) {
    return new JobSearch(
        kinds,
        elements,
        states,
        arrays,
        runs,
        ids,
        texts,
        exits,
        times.stream().map(time -> time.at(now)).toList());
  }

  /**
   * A condition on a text.
   *
   * @param field what is compared
   * @param anyOf patterns of which one must match
   * @param negated whether none of them may match
   */
  record TextCondition(TextField field, List<TextPattern> anyOf, boolean negated) {
    public TextCondition {
      anyOf = List.copyOf(anyOf);
    }

    public TextCondition(TextField field, List<TextPattern> anyOf) {
      this(field, anyOf, false);
    }

    /** Whether it has a single text without wildcards, so that an index can be used. */
    public boolean single() {
      return anyOf.size() == 1 && !anyOf.get(0).wild() && !negated;
    }
  }

  /**
   * A condition on the exit code of the last ended attempt.
   *
   * @param codes of which it must be one
   * @param negated whether it must be none of them; then jobs without an exit code match as well
   */
  record ExitCondition(Set<Integer> codes, boolean negated) {
    public ExitCondition {
      codes = Set.copyOf(codes);
    }
  }

  /**
   * A condition on a time.
   *
   * @param field which time
   * @param after whether it must not be earlier; otherwise it must be earlier
   * @param time the limit; null until {@link #at} if it was given as an age
   * @param age the limit as time before now; null if it was given as a time
   */
  record TimeCondition(TimeField field, boolean after, Instant time, Duration age) {
    TimeCondition at(Instant now) {
      return age == null ? this : new TimeCondition(field, after, now.minus(age), null);
    }
  }

  /** A time of a job that can be searched for. */
  enum TimeField {
    /** When it was submitted. */
    SUBMITTED,
    /** When it ended. */
    ENDED
  }

  /** The field of a job that is compared with a text. */
  enum TextField {
    /** Its name. */
    NAME,
    /** The execution node of its current or last attempt. */
    NODE,
    /** Its pool. */
    POOL,
    /** The queue it works for. */
    QUEUE,
    /** Who submitted it. */
    OWNER,
    /** The fair share that it is charged to. */
    SHARE,
    /** Its serial lane. */
    LANE,
    /** One of its tags. */
    TAG;

    /** Its name in a search. */
    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A text to compare with: exactly, or with {@code *} for any number of any characters.
   *
   * @param text as written
   * @param wild whether {@code *} is a wildcard in it
   */
  record TextPattern(String text, boolean wild) {
    /** The escape character in {@link #like}. */
    public static final char ESCAPE = '!';

    /** A pattern if it contains {@code *}, else the exact text. */
    public static TextPattern of(String text) {
      return new TextPattern(text, text.indexOf('*') >= 0);
    }

    /** The exact text, whatever it contains. */
    public static TextPattern exactly(String text) {
      return new TextPattern(text, false);
    }

    /** Any text that contains this one, in which {@code *} is a wildcard. */
    public static TextPattern containing(String text) {
      return new TextPattern("*" + text + "*", true);
    }

    /** Whether it matches a text, as the database compares texts. */
    boolean matches(String other) {
      if (!wild) {
        return text.equals(other);
      }
      int at = 0;
      int wildcard = -1;
      int resume = 0;
      int position = 0;
      while (position < other.length()) {
        if (at < text.length() && text.charAt(at) == '*') {
          wildcard = at++;
          resume = position;
        } else if (at < text.length() && text.charAt(at) == other.charAt(position)) {
          at++;
          position++;
        } else if (wildcard >= 0) {
          // The last wildcard stands for one character more.
          at = wildcard + 1;
          position = ++resume;
        } else {
          return false;
        }
      }
      return text.substring(at).chars().allMatch(rest -> rest == '*');
    }

    /** The operand of a LIKE with {@link #ESCAPE}. */
    public String like() {
      StringBuilder like = new StringBuilder(text.length() + 4);
      for (int i = 0; i < text.length(); i++) {
        char next = text.charAt(i);
        if (next == '*' && wild) {
          like.append('%');
        } else {
          if (next == '%' || next == '_' || next == ESCAPE) {
            like.append(ESCAPE);
          }
          like.append(next);
        }
      }
      return like.toString();
    }
  }

  /**
   * Which jobs a list shows, newest first.
   *
   * @param search the conditions
   * @param before only jobs with a smaller id; null from the newest
   * @param limit most jobs
   */
  public record JobFilter(JobSearch search, Long before, int limit) {
    /** Most jobs of one page. */
    public static final int MAX = 1000;

    public JobFilter {
      limit = Math.max(1, Math.min(limit, MAX));
    }

    /**
     * A filter by the most common conditions.
     *
     * @param kind null for every kind
     * @param states empty for every state
     * @param queue null for any or none
     * @param name null for any; exact
     */
    public JobFilter(
        JobKind kind, Set<JobState> states, String queue, String name, Long before, int limit) {
      this(search(kind, states, queue, name), before, limit);
    }

    private static JobSearch search(JobKind kind, Set<JobState> states, String queue, String name) {
      List<TextCondition> texts = new ArrayList<>();
      if (queue != null) {
        texts.add(new TextCondition(TextField.QUEUE, List.of(TextPattern.exactly(queue))));
      }
      if (name != null) {
        texts.add(new TextCondition(TextField.NAME, List.of(TextPattern.exactly(name))));
      }
      return new JobSearch(
          kind == null ? Set.of() : Set.of(kind),
          kind == null || kind == JobKind.SUBMITTED,
          states,
          Set.of(),
          Set.of(),
          Set.of(),
          texts,
          List.of(),
          List.of());
    }
  }
}
