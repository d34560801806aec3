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
 * Reads searches such as {@code state:failed,waiting node:n3 name:foo* bar}: all words must hold,
 * of several values one is enough, bare words are looked for in names. Without {@code kind:},
 * {@code array:} or {@code id:} it means jobs that somebody submitted, arrays as a whole. Pure.
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
   * Reads a search.
   *
   * @throws MillraceException INVALID_REQUEST that names the word and what could stand there
   */
  public static JobSearch parse(String text) {
    return parse(text, List.of());
  }

  /** Reads a search and further words. */
  public static JobSearch parse(String text, List<SearchWord> further) {
    SearchParser parser = new SearchParser();
    Stream.concat(SearchText.words(text).stream(), further.stream()).forEach(parser::take);
    return new JobSearch(
        parser.kinds, parser.elements, parser.states, parser.arrays, parser.ids, parser.texts);
  }

  private void take(SearchWord word) {
    if (word.key() == null) {
      texts.add(
          new TextCondition(
              TextField.NAME, word.values().stream().map(TextPattern::containing).toList()));
      return;
    }
    String key = word.key().toLowerCase(Locale.ROOT);
    if (word.values().stream().anyMatch(String::isBlank)) {
      throw refuse(key + ": a value is missing; write for instance " + example(key));
    }
    switch (key) {
      case "state" -> states(word);
      case "kind" -> kinds(word);
      case "array" -> {
        once(key);
        numbers(word, arrays);
        elements = true;
      }
      case "id" -> {
        once(key);
        numbers(word, ids);
        // Whoever names jobs means them, whatever they are.
        elements = true;
        if (!seen.contains("kind")) {
          kinds = EnumSet.noneOf(JobKind.class);
        }
      }
      default -> texts.add(text(key, word));
    }
  }

  private void states(SearchWord word) {
    once("state");
    for (String value : word.values()) {
      states.add(constant("state", value, JobState.values()));
    }
  }

  private void kinds(SearchWord word) {
    once("kind");
    elements = true;
    kinds = EnumSet.noneOf(JobKind.class);
    if (!word.values().contains(EVERY)) {
      for (String value : word.values()) {
        kinds.add(constant("kind", value, JobKind.values()));
      }
    }
  }

  private void numbers(SearchWord word, Set<Long> numbers) {
    for (String value : word.values()) {
      try {
        numbers.add(Long.parseLong(value.strip()));
      } catch (NumberFormatException e) {
        throw refuse(word.key() + ": '" + value + "' is no number of a job");
      }
    }
  }

  private static TextCondition text(String key, SearchWord word) {
    TextField field =
        Arrays.stream(TextField.values())
            .filter(one -> one.key().equals(key))
            .findFirst()
            .orElseThrow(() -> unknown(key));
    return new TextCondition(
        field,
        word.values().stream()
            .map(value -> word.verbatim() ? TextPattern.exactly(value) : TextPattern.of(value))
            .toList());
  }

  private void once(String key) {
    if (!seen.add(key)) {
      throw refuse(key + ": it stands there twice; write " + key + ":a,b for either");
    }
  }

  private static <E extends Enum<E>> E constant(String key, String text, E[] values) {
    for (E value : values) {
      if (value.name().equalsIgnoreCase(text.strip())) {
        return value;
      }
    }
    throw refuse(
        key
            + ": '"
            + text
            + "' is none; use "
            + Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .collect(joining(", "))
            + (key.equals("kind") ? " or " + EVERY : ""));
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
        "'"
            + key
            + ":' is no key of a search; use "
            + String.join(", ", KEYS)
            + ", or put the word in double quotes to look for it in names");
  }

  private static MillraceException refuse(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, "search: " + words);
  }

  /**
   * Cuts a search into its words: {@code key:value}, {@code key:a,b}, bare ones; double quotes keep
   * blanks, commas and colons together. Pure.
   */
  private static final class SearchText {
    static final int LONGEST = 4000;

    private SearchText() {}

    static List<SearchWord> words(String text) {
      if (text.length() > LONGEST) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "search: it has " + text.length() + " characters; use at most " + LONGEST);
      }
      List<SearchWord> words = new ArrayList<>();
      Cutter cutter = new Cutter(text);
      while (cutter.more()) {
        words.add(cutter.word());
      }
      return words;
    }

    private static final class Cutter {
      private final String text;
      private int at;

      Cutter(String text) {
        this.text = text;
      }

      boolean more() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
          at++;
        }
        return at < text.length();
      }

      SearchWord word() {
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
              ErrorCode.INVALID_REQUEST, "search: a quotation mark is open; close it with \"");
        }
        values.add(value.toString());
        return new SearchWord(key, values, false);
      }
    }
  }

  /**
   * One word of a search, as written.
   *
   * @param key what must hold; null for a bare word
   * @param values one of them is enough
   * @param verbatim whether the values mean themselves, stars included
   */
  public record SearchWord(String key, List<String> values, boolean verbatim) {
    public SearchWord {
      values = List.copyOf(values);
    }

    /** A key with exactly that value. */
    public static SearchWord exactly(String key, String value) {
      return new SearchWord(key, List.of(value), true);
    }

    /** A key with one or several values, as in a search. */
    public static SearchWord of(String key, String values) {
      return new SearchWord(key, List.of(values.split(",", -1)), false);
    }
  }
}
