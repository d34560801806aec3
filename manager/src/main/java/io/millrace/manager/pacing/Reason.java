package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.util.function.Supplier;

/**
 * Why a decision was made, put into words only when somebody reads it: a simulated year decides
 * millions of times. Two reasons are equal when their words are. Thread-safe when the words rest on
 * immutable values, as those of the policies do.
 */
@Pure
public final class Reason {
  private final Supplier<String> words;

  private Reason(Supplier<String> words) {
    this.words = words;
  }

  public static Reason of(Supplier<String> words) {
    return new Reason(words);
  }

  public static Reason of(String words) {
    return new Reason(() -> words);
  }

  public String text() {
    return words.get();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Reason reason && text().equals(reason.text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
