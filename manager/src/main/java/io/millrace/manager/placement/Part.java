package io.millrace.manager.placement;

import dev.cel.common.ast.CelExpr;
import io.millrace.api.Pure;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One of the conditions that must all hold. Thread-safe.
 *
 * @param written as people wrote it
 * @param expression the same, compiled
 */
@Pure
record Part(String written, NodeExpression expression) {
  private static final int MOST_VALUES = 8;
  private static final Map<String, Integer> LARGEST_IS_BEST =
      Map.of("_>=_", 1, "_>_", 1, "_<=_", -1, "_<_", -1);

  boolean holds(NodeFacts node) {
    return expression.holds(node);
  }

  /** What nodes have instead, as far as it can be told in short: {@code the best has 16GB}. */
  Optional<String> instead(List<NodeFacts> nodes) {
    return compared().flatMap(attribute -> instead(attribute, nodes));
  }

  private Optional<String> instead(Attribute attribute, List<NodeFacts> nodes) {
    List<Object> values =
        nodes.stream().map(attribute::of).flatMap(Optional::stream).filter(Part::said).toList();
    if (values.isEmpty()) {
      return Optional.of("none says its " + attribute);
    }
    int direction = direction(attribute);
    if (direction != 0 && values.stream().allMatch(Number.class::isInstance)) {
      Comparator<Object> order =
          Comparator.comparingDouble(value -> ((Number) value).doubleValue());
      Object best = values.stream().max(direction > 0 ? order : order.reversed()).orElseThrow();
      String words = attribute.words(best);
      return Optional.of(nodes.size() == 1 ? "it has " + words : "the best has " + words);
    }
    return Optional.of((nodes.size() == 1 ? "it has " : "there is ") + list(attribute, values));
  }

  private static boolean said(Object value) {
    boolean zero = value instanceof Number number && number.doubleValue() == 0;
    return !zero && !Objects.equals(value, "") && !Objects.equals(value, List.of());
  }

  private static String list(Attribute attribute, List<Object> values) {
    TreeSet<String> words = new TreeSet<>();
    for (Object value : values) {
      if (value instanceof Collection<?> many) {
        many.forEach(one -> words.add(attribute.words(one)));
      } else {
        words.add(attribute.words(value));
      }
    }
    String shown = words.stream().limit(MOST_VALUES).collect(Collectors.joining(", "));
    return words.size() > MOST_VALUES ? shown + ", …" : shown;
  }

  /** The attribute that the part compares with something, or asks to contain something. */
  private Optional<Attribute> compared() {
    if (expression.tree().getKind() != CelExpr.ExprKind.Kind.CALL) {
      return Optional.empty();
    }
    return Syntax.call(expression.tree()).arguments().stream()
        .map(Syntax::attribute)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** 1 when more is better for the attribute, −1 when less is, 0 when neither. */
  private int direction(Attribute attribute) {
    Syntax.Call call = Syntax.call(expression.tree());
    int sign = LARGEST_IS_BEST.getOrDefault(call.function(), 0);
    boolean first = Syntax.attribute(call.arguments().get(0)).filter(attribute::equals).isPresent();
    return first ? sign : -sign;
  }
}
