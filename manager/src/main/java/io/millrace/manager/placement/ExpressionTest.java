package io.millrace.manager.placement;

import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.manager.placement.NodeTest.NodeTests;
import java.util.List;

/** What a shape requires, as compiled expressions. */
@Pure
public record ExpressionTest(Requirement requirement, Rank preference) implements NodeTest {
  /** Tests that are compiled by need. */
  public static NodeTests compiledBy(Requirements requirements) {
    return shape -> {
      if (shape.requires() == null && shape.rank() == null) {
        return NodeTest.ANY;
      }
      try {
        return new ExpressionTest(
            requirements.requirement(shape.requires()), requirements.rank(shape.rank()));
      } catch (MillraceException unreadable) {
        // Accepted by a newer central manager, perhaps; it must not keep other shapes waiting.
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
  public boolean asks() {
    return requirement.mentionsNode();
  }

  @Override
  public String mismatch(List<PlacementNode> nodes) {
    return nodes.size() == 1
        ? requirement.mismatch(nodes.get(0).facts()).orElseThrow()
        : requirement.mismatch(nodes.stream().map(PlacementNode::facts).toList()).orElseThrow();
  }

  private record Unreadable(String words) implements NodeTest {
    @Override
    public boolean accepts(PlacementNode node) {
      return false;
    }

    @Override
    public String mismatch(List<PlacementNode> nodes) {
      return words;
    }
  }
}
