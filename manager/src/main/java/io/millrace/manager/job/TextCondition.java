package io.millrace.manager.job;

import java.util.List;

/**
 * One thing that must hold.
 *
 * @param field what is compared
 * @param anyOf with what; one that fits is enough
 */
public record TextCondition(TextField field, List<TextPattern> anyOf) {
  public TextCondition {
    anyOf = List.copyOf(anyOf);
  }

  /** Whether it names one text and no pattern, so that an index finds it. */
  public boolean single() {
    return anyOf.size() == 1 && !anyOf.get(0).wild();
  }
}
