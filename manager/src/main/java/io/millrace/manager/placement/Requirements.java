package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Compiled expressions by their text, the least recently used ones forgotten. Thread-safe; compiles
 * outside its lock.
 */
@Pure
public final class Requirements {
  private final Recent<Requirement> requirements;
  private final Recent<Rank> ranks;

  /**
   * @param most expressions of each kind that are kept
   */
  public Requirements(int most) {
    this.requirements = new Recent<>(most);
    this.ranks = new Recent<>(most);
  }

  /** The same as {@link Requirement#parse}, sooner. */
  public Requirement requirement(String text) {
    return text == null || text.isBlank()
        ? Requirement.ANY
        : requirements.get(text, Requirement::parse);
  }

  /** The same as {@link Rank#parse}, sooner. */
  public Rank rank(String text) {
    return text == null || text.isBlank() ? Rank.NONE : ranks.get(text, Rank::parse);
  }

  private static final class Recent<T> {
    private final Map<String, T> byText;

    Recent(int most) {
      this.byText =
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
              return size() > most;
            }
          };
    }

    T get(String text, Function<String, T> compile) {
      synchronized (byText) {
        T known = byText.get(text);
        if (known != null) {
          return known;
        }
      }
      T compiled = compile.apply(text);
      synchronized (byText) {
        byText.put(text, compiled);
      }
      return compiled;
    }
  }
}
