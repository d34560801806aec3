package io.millrace.cli.migration;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is found while a file of another system is read: problems, with which it is refused, and
 * notes about what Millrace does not do, of which those of one kind are told once. Both are
 * bounded. Not thread-safe.
 */
public final class ImportFindings {
  private static final int SHOWN_PROBLEMS = 20;
  private static final int MAX_KINDS = 100;

  private final List<String> problems = new ArrayList<>();
  private final Map<String, Note> notes = new LinkedHashMap<>();
  private long hidden;

  /** Something with which nothing can be submitted; the text says what to do. */
  void problem(String place, String text, Object... shown) {
    if (problems.size() < SHOWN_PROBLEMS) {
      problems.add(place + ": " + filled(text, shown));
    } else {
      hidden++;
    }
  }

  /** Something that is left out; further notes with the same text are counted. */
  void note(String place, String text, Object... shown) {
    String told = filled(text, shown);
    Note note = notes.get(told);
    if (note != null) {
      note.repeated++;
    } else if (notes.size() < MAX_KINDS) {
      notes.put(told, new Note(place));
    }
  }

  private static String filled(String text, Object... shown) {
    Object[] shortened = new Object[shown.length];
    for (int i = 0; i < shown.length; i++) {
      shortened[i] = shown[i] instanceof String word ? ShownText.of(word) : shown[i];
    }
    return text.formatted(shortened);
  }

  /** Whether there are problems. */
  boolean refused() {
    return !problems.isEmpty();
  }

  /**
   * Refuses if there are problems.
   *
   * @throws MillraceException INVALID_REQUEST with all of them, one in each line
   */
  public void refuse() {
    if (refused()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          String.join("\n", problems) + (hidden > 0 ? "\nand " + hidden + " more problems" : ""));
    }
  }

  /** What Millrace does not do, one line for each kind, in the order in which it was found. */
  public List<String> notes() {
    return notes.entrySet().stream()
        .map(
            one ->
                one.getValue().place
                    + ": "
                    + one.getKey()
                    + (one.getValue().repeated > 0
                        ? " (and " + one.getValue().repeated + " more times)"
                        : ""))
        .toList();
  }

  private static final class Note {
    private final String place;
    private long repeated;

    Note(String place) {
      this.place = place;
    }
  }
}
