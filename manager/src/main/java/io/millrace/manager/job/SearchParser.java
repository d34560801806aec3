package io.millrace.manager.job;

import static java.util.stream.Collectors.joining;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TextPattern;
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
 * one of several values is enough, terms without a key are searched in names. Without {@code
 * kind:}, {@code array:} or {@code id:} a search matches submitted jobs, and arrays as a whole.
 * Pure.
 */
public final class SearchParser {
  private static final String EVERY = "all";
  private static final List<String> KEYS =
      Stream.concat(
              Stream.of("state", "kind", "array", "id"),
              Arrays.stream(TextField.values()).map(TextField::key))
          .sorted()
          .toList();

  private final Set<String> seen = new HashSet<>();
  private Set<JobKind> kinds = EnumSet.of(JobKind.SUBMITTED);
  private boolean elements;
  private final Set<JobState> states = EnumSet.noneOf(JobState.class);
  private final Set<Long> arrays = new HashSet<>();
  private final Set<Long> ids = new HashSet<>();
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
        parser.kinds, parser.elements, parser.states, parser.arrays, parser.ids, parser.texts);
  }

  private void take(SearchTerm term) {
    if (term.key() == null) {
      texts.add(
          new TextCondition(
              TextField.NAME, term.values().stream().map(TextPattern::containing).toList()));
      return;
    }
    String key = term.key().toLowerCase(Locale.ROOT);
    if (term.values().stream().anyMatch(String::isBlank)) {
      throw refuse(key + ": a value is missing; use for instance " + example(key));
    }
    switch (key) {
      case "state" -> states(term);
      case "kind" -> kinds(term);
      case "array" -> {
        once(key);
        numbers(term, arrays);
        elements = true;
      }
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
  }

  private void numbers(SearchTerm term, Set<Long> numbers) {
    for (String value : term.values()) {
      try {
        numbers.add(Long.parseLong(value.strip()));
      } catch (NumberFormatException e) {
        throw refuse(term.key() + ": '" + value + "' is not a job ID");
      }
    }
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
            .toList());
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
      case "array", "id" -> key + ":17";
      default -> key + ":foo*";
    };
  }

  private static MillraceException unknown(String key) {
    return refuse(
        "'%s:' is not a search key; use %s, or put the term in double quotes to search names for it"
            .formatted(key, String.join(", ", KEYS)));
  }

  private static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, "search: " + message);
  }

  /**
   * Splits a search into its terms: {@code key:value}, {@code key:a,b}, terms without a key; double
   * quotes protect blanks, commas and colons. Pure.
   */
  private static final class TermSplitter {
    static final int LONGEST = 4000;

    private TermSplitter() {}

    static List<SearchTerm> terms(String text) {
      if (text.length() > LONGEST) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "search: %d characters; use at most %d".formatted(text.length(), LONGEST));
      }
      List<SearchTerm> terms = new ArrayList<>();
      Scanner scanner = new Scanner(text);
      while (scanner.more()) {
        terms.add(scanner.term());
      }
      return terms;
    }

    private static final class Scanner {
      private final String text;
      private int at;

      Scanner(String text) {
        this.text = text;
      }

      boolean more() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
          at++;
        }
        return at < text.length();
      }

      SearchTerm term() {
        String key = null;
        List<String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        boolean quoted = false;
        for (; at < text.length(); at++) {
          char next = text.charAt(at);
          if (next == '"') {
            quoted = !quoted;
          } else if (quoted) {
            value.append(next);
          } else if (Character.isWhitespace(next)) {
            break;
          } else if (next == ':' && key == null && values.isEmpty()) {
            key = value.toString();
            value.setLength(0);
          } else if (next == ',' && key != null) {
            values.add(value.toString());
            value.setLength(0);
          } else {
            value.append(next);
          }
        }
        if (quoted) {
          throw new MillraceException(
              ErrorCode.INVALID_REQUEST, "search: a double quote is not closed");
        }
        values.add(value.toString());
        return new SearchTerm(key, values, false);
      }
    }
  }

  /**
   * One term of a search, as written.
   *
   * @param key what is searched; null for a term without a key
   * @param values of which one must match
   * @param verbatim whether the values are exact, without wildcards
   */
  public record SearchTerm(String key, List<String> values, boolean verbatim) {
    public SearchTerm {
      values = List.copyOf(values);
    }

    /** A term with exactly that value. */
    public static SearchTerm exactly(String key, String value) {
      return new SearchTerm(key, List.of(value), true);
    }

    /** A term with one or several values, as in a search. */
    public static SearchTerm of(String key, String values) {
      return new SearchTerm(key, List.of(values.split(",", -1)), false);
    }
  }
}
