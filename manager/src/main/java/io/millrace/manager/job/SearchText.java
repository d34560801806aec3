package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a search into its words: {@code key:value}, {@code key:a,b}, bare ones; double quotes keep
 * blanks, commas and colons together. Pure.
 */
final class SearchText {
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
