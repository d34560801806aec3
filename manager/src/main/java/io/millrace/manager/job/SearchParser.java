package io.millrace.manager.job;

import static java.util.stream.Collectors.joining;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobSearch.ExitCondition;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TextPattern;
import io.millrace.manager.job.JobSearch.TimeCondition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Parses searches such as {@code state:failed,waiting node:n3 name:foo* bar}: all terms must match,
 * one of several values is enough, terms without a key are searched in names, and a term after
 * {@code -} must not match. Without {@code kind:}, {@code array:}, {@code run:} or {@code id:} a
 * search matches submitted jobs, and arrays as a whole. Pure.
 */
public final class SearchParser {
  private static final String EVERY = "all";
  private static final String TASK_OWNER = "task:";
  private static final Set<String> NOT_NEGATED = Set.of("array", "run", "id", "since", "ended");
  private static final List<String> KEYS =
      Stream.concat(
              Stream.of("state", "kind", "array", "run", "id", "task", "exit", "since", "ended"),
              Arrays.stream(TextField.values()).map(TextField::key))
          .sorted()
          .toList();

  private final Set<String> seen = new HashSet<>();
  private Set<JobKind> kinds = EnumSet.of(JobKind.SUBMITTED);
  private boolean elements;
  private final Set<JobState> states = EnumSet.noneOf(JobState.class);
  private final Set<Long> arrays = new HashSet<>();
  private final Set<Long> runs = new HashSet<>();
  private final Set<Long> ids = new HashSet<>();
  private final List<ExitCondition> exits = new ArrayList<>();
  private final List<TimeCondition> times = new ArrayList<>();
  private final List<TextCondition> texts = new ArrayList<>();

  private SearchParser() {}

  /**
   * Parses a search.
   *
   * @throws MillraceException INVALID_REQUEST that names the invalid term and what is expected
   */
  public static JobSearch parse(String text) {
    return parse(text, List.of());
  }

  /** Parses a search with further terms. */
  public static JobSearch parse(String text, List<SearchTerm> further) {
    SearchParser parser = new SearchParser();
    Stream.concat(TermSplitter.terms(text).stream(), further.stream()).forEach(parser::take);
    return new JobSearch(
        parser.kinds,
        parser.elements,
        parser.states,
        parser.arrays,
        parser.runs,
        parser.ids,
        parser.texts,
        parser.exits,
        parser.times);
  }

  private void take(SearchTerm term) {
    if (term.key() == null) {
      texts.add(
          new TextCondition(
              TextField.NAME,
              term.values().stream().map(TextPattern::containing).toList(),
              term.negated()));
      return;
    }
    String key = term.key().toLowerCase(Locale.ROOT);
    if (term.values().stream().anyMatch(String::isBlank)) {
      throw refuse(key + ": a value is missing; use for instance " + example(key));
    }
    if (term.negated() && NOT_NEGATED.contains(key)) {
      throw refuse("-" + key + ": this term cannot be negated; remove the minus sign");
    }
    switch (key) {
      case "state" -> states(term);
      case "kind" -> kinds(term);
      case "array" -> {
        once(key);
        numbers(term, arrays);
        elements = true;
      }
      case "run" -> {
        once(key);
        numbers(term, runs);
        elements = true;
        if (!seen.contains("kind")) {
          kinds = EnumSet.noneOf(JobKind.class);
        }
      }
      case "task" -> texts.add(ofTask(term));
      case "exit" -> exits.add(SearchNumbers.exit(term));
      case "since" -> times.add(SearchNumbers.since(term));
      case "ended" -> times.add(SearchNumbers.ended(term));
      case "id" -> {
        once(key);
        numbers(term, ids);
        // Jobs named by id match whatever their kind.
        elements = true;
        if (!seen.contains("kind")) {
          kinds = EnumSet.noneOf(JobKind.class);
        }
      }
      default -> texts.add(text(key, term));
    }
  }

  private void states(SearchTerm term) {
    once("state");
    for (String value : term.values()) {
      states.add(constant("state", value, JobState.values()));
    }
    if (term.negated()) {
      Set<JobState> others = EnumSet.complementOf(EnumSet.copyOf(states));
      if (others.isEmpty()) {
        throw refuse("-state: no state is left");
      }
      states.clear();
      states.addAll(others);
    }
  }

  private void kinds(SearchTerm term) {
    once("kind");
    elements = true;
    kinds = EnumSet.noneOf(JobKind.class);
    if (!term.values().contains(EVERY)) {
      for (String value : term.values()) {
        kinds.add(constant("kind", value, JobKind.values()));
      }
    }
    if (term.negated()) {
      kinds = EnumSet.complementOf(EnumSet.copyOf(kinds));
      if (kinds.isEmpty() || term.values().contains(EVERY)) {
        throw refuse("-kind: no kind is left");
      }
    }
  }

  private void numbers(SearchTerm term, Set<Long> numbers) {
    for (String value : term.values()) {
      try {
        numbers.add(Long.parseLong(value.strip()));
      } catch (NumberFormatException e) {
        throw refuse(
            "%s: '%s' is not %s"
                .formatted(
                    term.key(), value, term.key().equals("run") ? "a run number" : "a job ID"));
      }
    }
  }

  // The jobs of a task belong to it.
  private static TextCondition ofTask(SearchTerm term) {
    return new TextCondition(
        TextField.OWNER,
        term.values().stream()
            .map(value -> term.verbatim() ? TextPattern.exactly(value) : TextPattern.of(value))
            .map(pattern -> new TextPattern(TASK_OWNER + pattern.text(), pattern.wild()))
            .toList(),
        term.negated());
  }

  private static TextCondition text(String key, SearchTerm term) {
    TextField field =
        Arrays.stream(TextField.values())
            .filter(one -> one.key().equals(key))
            .findFirst()
            .orElseThrow(() -> unknown(key));
    return new TextCondition(
        field,
        term.values().stream()
            .map(value -> term.verbatim() ? TextPattern.exactly(value) : TextPattern.of(value))
            .toList(),
        term.negated());
  }

  private void once(String key) {
    if (!seen.add(key)) {
      throw refuse(key + ": given twice; use " + key + ":a,b to match either");
    }
  }

  private static <E extends Enum<E>> E constant(String key, String text, E[] values) {
    for (E value : values) {
      if (value.name().equalsIgnoreCase(text.strip())) {
        return value;
      }
    }
    throw refuse(
        "'%s' is not a %s; use %s%s"
            .formatted(
                text,
                key,
                Arrays.stream(values)
                    .map(value -> value.name().toLowerCase(Locale.ROOT))
                    .collect(joining(", ")),
                key.equals("kind") ? " or " + EVERY : ""));
  }

  private static String example(String key) {
    return switch (key) {
      case "state" -> "state:failed,waiting";
      case "kind" -> "kind:worker";
      case "array", "id", "run" -> key + ":17";
      case "exit" -> "exit:1";
      case "since" -> "since:2h";
      case "ended" -> "ended:>2h";
      default -> key + ":foo*";
    };
  }

  private static MillraceException unknown(String key) {
    return refuse(
        "'%s:' is not a search key; use %s, or put the term in double quotes to search names for it"
            .formatted(key, String.join(", ", KEYS)));
  }

  static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, "search: " + message);
  }

  /**
   * One term of a search, as written.
   *
   * @param key what is searched; null for a term without a key
   * @param values of which one must match
   * @param verbatim whether the values are exact, without wildcards
   * @param negated whether none of the values may match
   */
  public record SearchTerm(String key, List<String> values, boolean verbatim, boolean negated) {
    public SearchTerm {
      values = List.copyOf(values);
    }

    /** A term with exactly that value. */
    public static SearchTerm exactly(String key, String value) {
      return new SearchTerm(key, List.of(value), true, false);
    }

    /** A term with one or several values, as in a search. */
    public static SearchTerm of(String key, String values) {
      return new SearchTerm(key, List.of(values.split(",", -1)), false, false);
    }
  }
}
