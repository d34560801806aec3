package io.millrace.manager.placement;

import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.manager.placement.NodeTest.NodeTests;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A cache of compiled expressions by their text, which evicts the least recently used ones.
 * Thread-safe; compiles outside its lock.
 */
@Pure
public final class Requirements {
  private final Recent<Requirement> requirements;
  private final Recent<Rank> ranks;

  /**
   * @param max most expressions of each kind that are cached
   */
  public Requirements(int max) {
    this.requirements = new Recent<>(max);
    this.ranks = new Recent<>(max);
  }

  /** Like {@link Requirement#parse}, from the cache. */
  public Requirement requirement(String text) {
    return text == null || text.isBlank()
        ? Requirement.ANY
        : requirements.get(text, Requirement::parse);
  }

  /** Like {@link Rank#parse}, from the cache. */
  public Rank rank(String text) {
    return text == null || text.isBlank() ? Rank.NONE : ranks.get(text, Rank::parse);
  }

  private static final class Recent<T> {
    private final Map<String, T> byText;

    Recent(int max) {
      this.byText =
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
              return size() > max;
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

  /** What a shape requires, as compiled expressions. */
  @Pure
  public record ExpressionTest(Requirement requirement, Rank preference) implements NodeTest {
    /** Tests that are compiled on demand. */
    public static NodeTests compiledBy(Requirements requirements) {
      return shape -> {
        if (shape.requires() == null && shape.rank() == null) {
          return NodeTest.ANY;
        }
        try {
          return new ExpressionTest(
              requirements.requirement(shape.requires()), requirements.rank(shape.rank()));
        } catch (MillraceException unreadable) {
          // Perhaps accepted by a newer central manager; it must not block other shapes.
          return new Unreadable(unreadable.getMessage());
        }
      };
    }

    @Override
    public boolean accepts(PlacementNode node) {
      return requirement.matches(node.facts());
    }

    @Override
    public double rank(PlacementNode node) {
      return preference.value(node.facts());
    }

    @Override
    public boolean namesNodes() {
      return requirement.mentionsNode();
    }

    @Override
    public String mismatch(List<PlacementNode> nodes) {
      return nodes.size() == 1
          ? requirement.mismatch(nodes.get(0).facts()).orElseThrow()
          : requirement.mismatch(nodes.stream().map(PlacementNode::facts).toList()).orElseThrow();
    }

    private record Unreadable(String message) implements NodeTest {
      @Override
      public boolean accepts(PlacementNode node) {
        return false;
      }

      @Override
      public String mismatch(List<PlacementNode> nodes) {
        return message;
      }
    }
  }
}
