package io.millrace.manager.dispatch;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Words that wait to be passed on, each once. Thread-safe. */
final class PendingWakeUps {
  // What the table's column holds; more are left out, for they are only hints.
  private static final int LONGEST = 8000;
  private static final int MOST = 2000;

  private final Set<String> words = new LinkedHashSet<>();

  synchronized void add(String word) {
    if (words.size() < MOST) {
      words.add(word);
    }
  }

  /** Takes all, short ones first, so that the most general are kept; empty text for none. */
  synchronized String take() {
    List<String> all = new ArrayList<>(words);
    words.clear();
    all.sort((left, right) -> Boolean.compare(left.contains(":"), right.contains(":")));
    StringBuilder text = new StringBuilder();
    for (String word : all) {
      if (text.length() + word.length() + 1 > LONGEST) {
        break;
      }
      text.append(text.length() == 0 ? "" : ",").append(word);
    }
    return text.toString();
  }
}
