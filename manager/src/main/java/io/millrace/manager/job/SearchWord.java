package io.millrace.manager.job;

import java.util.List;

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
