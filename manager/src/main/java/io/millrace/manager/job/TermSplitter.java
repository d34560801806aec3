package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.job.SearchParser.SearchTerm;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a search into its terms: {@code key:value}, {@code key:a,b}, terms without a key; double
 * quotes protect blanks, commas and colons, a minus sign negates a term. Pure.
 */
final class TermSplitter {
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
      boolean negated = text.charAt(at) == '-' && followed();
      at += negated ? 1 : 0;
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
      return new SearchTerm(key, values, false, negated);
    }

    private boolean followed() {
      return at + 1 < text.length() && !Character.isWhitespace(text.charAt(at + 1));
    }
  }
}
