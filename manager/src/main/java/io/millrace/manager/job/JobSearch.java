package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which jobs are meant; all of it must hold.
 *
 * @param kinds who wanted them; empty for every kind
 * @param elements whether elements of arrays are meant as well as jobs of their own
 * @param states empty for every state
 * @param arrays only elements of these; empty for any
 * @param ids only these; empty for any
 * @param texts what else must hold
 */
public record JobSearch(
    Set<JobKind> kinds,
    boolean elements,
    Set<JobState> states,
    Set<Long> arrays,
    Set<Long> ids,
    List<TextCondition> texts) {
  /** Every job, of whatever kind. */
  public static final JobSearch ALL =
      new JobSearch(Set.of(), true, Set.of(), Set.of(), Set.of(), List.of());

  public JobSearch {
    kinds = Set.copyOf(kinds);
    states = Set.copyOf(states);
    arrays = Set.copyOf(arrays);
    ids = Set.copyOf(ids);
    texts = List.copyOf(texts);
  }

  /** Just these jobs, elements of arrays included. */
  public static JobSearch ofIds(Set<Long> ids) {
    return new JobSearch(Set.of(), true, Set.of(), Set.of(), ids, List.of());
  }

  /** The states meant, in the order of their declaration. */
  public Set<JobState> wantedStates() {
    return states.isEmpty() ? EnumSet.allOf(JobState.class) : EnumSet.copyOf(states);
  }

  /** The kinds meant. */
  public Set<JobKind> wantedKinds() {
    return kinds.isEmpty() ? EnumSet.allOf(JobKind.class) : EnumSet.copyOf(kinds);
  }

  /** Whether it says nothing but which kind of jobs. */
  public boolean unbounded() {
    return states.isEmpty() && arrays.isEmpty() && ids.isEmpty() && texts.isEmpty();
  }

  /**
   * One thing that must hold.
   *
   * @param field what is compared
   * @param anyOf with what; one that fits is enough
   */
  record TextCondition(TextField field, List<TextPattern> anyOf) {
    public TextCondition {
      anyOf = List.copyOf(anyOf);
    }

    /** Whether it names one text and no pattern, so that an index finds it. */
    public boolean single() {
      return anyOf.size() == 1 && !anyOf.get(0).wild();
    }
  }

  /** What of a job is compared with a text. */
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
    /** Whose fair share it is charged to. */
    SHARE,
    /** Its serial lane. */
    LANE,
    /** One of its tags. */
    TAG;

    /** As people write it. */
    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A text to compare with: exactly, or with {@code *} for any number of any characters.
   *
   * @param text as written
   * @param wild whether its stars stand for something
   */
  record TextPattern(String text, boolean wild) {
    /** What makes the next character of a {@link #like} mean itself. */
    public static final char ESCAPE = '!';

    /** A pattern if it has a star, else the text itself. */
    public static TextPattern of(String text) {
      return new TextPattern(text, text.indexOf('*') >= 0);
    }

    /** The text itself, whatever it holds. */
    public static TextPattern exactly(String text) {
      return new TextPattern(text, false);
    }

    /** Every text that holds this one; stars within stand for something. */
    public static TextPattern containing(String text) {
      return new TextPattern("*" + text + "*", true);
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
   * @param search which jobs are meant
   * @param before only jobs with a smaller id; null from the newest
   * @param limit jobs at the most
   */
  public record JobFilter(JobSearch search, Long before, int limit) {
    /** The most jobs that one page shows. */
    public static final int MOST = 1000;

    public JobFilter {
      limit = Math.max(1, Math.min(limit, MOST));
    }

    /**
     * Jobs by what most parts ask for.
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
          texts);
    }
  }
}
