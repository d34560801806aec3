package io.millrace.manager.placement;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.types.SimpleType;
import io.millrace.api.Pure;
import io.millrace.manager.placement.Syntax.Attribute;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a job requires of its node (H-224). A node that lacks a required attribute does not match.
 * Immutable, thread-safe; the cost of an evaluation is bounded by the length of the text.
 */
@Pure
public final class Requirement {
  /** No requirement. */
  public static final Requirement ANY = new Requirement("", null, List.of());

  private static final String FIELD = "requires";
  private static final Set<String> NEGATIONS = Set.of("!_", "_!=_");
  private static final Set<String> ASKING = Set.of("name", "label");
  private static final int MAX_NAMED = 3;

  private final String text;
  private final NodeExpression expression;
  private final List<Part> parts;
  private final boolean mentionsNode;

  private Requirement(String text, NodeExpression expression, List<Part> parts) {
    this.text = text;
    this.expression = expression;
    this.parts = parts;
    this.mentionsNode = expression != null && asks(expression.tree());
  }

  /**
   * Compiles; null and blank mean any node.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST that names the position and the fix
   */
  public static Requirement parse(String text) {
    if (text == null || text.isBlank()) {
      return ANY;
    }
    NodeExpression expression = NodeLanguage.INSTANCE.compile(FIELD, text);
    if (!expression.type().equals(SimpleType.BOOL)) {
      throw new ExpressionErrors(FIELD)
          .plain(
              "its value is neither true nor false; use a comparison, for instance"
                  + " memory >= 8GB",
              null);
    }
    return new Requirement(text.strip(), expression, parts(text, expression));
  }

  private static List<Part> parts(String text, NodeExpression expression) {
    List<String> written = new ExpressionText(text.strip()).parts();
    if (written.size() == 1) {
      return List.of(new Part(written.get(0), expression));
    }
    return written.stream()
        .map(part -> new Part(part, NodeLanguage.INSTANCE.compile(FIELD, part)))
        .toList();
  }

  /** Whether the node matches. */
  public boolean matches(NodeFacts node) {
    return expression == null || expression.holds(node);
  }

  /** Whether it names nodes or labels; some nodes take only jobs that do. */
  public boolean mentionsNode() {
    return mentionsNode;
  }

  // "Any but that one" does not request a node.
  private static boolean asks(CelExpr node) {
    if (node.getKind() == Kind.IDENT) {
      return ASKING.contains(node.ident().name());
    }
    if (node.getKind() == Kind.CALL && NEGATIONS.contains(Syntax.call(node).function())) {
      return false;
    }
    return Syntax.children(node).stream().anyMatch(Requirement::asks);
  }

  /**
   * A message about why none of the nodes matches: {@code no node matches memory >= 64GB: the best
   * has 16GB}; empty when one does.
   */
  public Optional<String> mismatch(List<NodeFacts> nodes) {
    if (nodes.stream().anyMatch(this::matches)) {
      return Optional.empty();
    }
    return Optional.of(
        parts.stream()
            .filter(part -> nodes.stream().noneMatch(part::holds))
            .findFirst()
            .map(part -> "no node matches " + part.written() + instead(part, nodes))
            .orElseGet(() -> "no node matches all conditions: " + held(nodes)));
  }

  /**
   * A message about why one node does not match: {@code needs memory >= 64GB: it has 16GB}; empty
   * when it does.
   */
  public Optional<String> mismatch(NodeFacts node) {
    if (matches(node)) {
      return Optional.empty();
    }
    return Optional.of(
        parts.stream()
            .filter(part -> !part.holds(node))
            .findFirst()
            .map(part -> "needs " + part.written() + instead(part, List.of(node)))
            .orElse("needs " + text));
  }

  private static String instead(Part part, List<NodeFacts> nodes) {
    return part.instead(nodes).map(found -> ": " + found).orElse("");
  }

  private String held(List<NodeFacts> nodes) {
    return parts.stream()
        .map(part -> part.written() + " matches " + holders(part, nodes))
        .collect(Collectors.joining("; "));
  }

  private static String holders(Part part, List<NodeFacts> nodes) {
    List<String> names = nodes.stream().filter(part::holds).map(NodeFacts::name).sorted().toList();
    String shown = String.join(", ", names.subList(0, Math.min(MAX_NAMED, names.size())));
    return names.size() > MAX_NAMED ? shown + " and " + (names.size() - MAX_NAMED) : shown;
  }

  /** As written; empty for any node. */
  @Override
  public String toString() {
    return text;
  }

  /**
   * One of the conditions that must all hold. Thread-safe.
   *
   * @param written as written by the user
   * @param expression the same, compiled
   */
  @Pure
  record Part(String written, NodeExpression expression) {
    private static final int MAX_VALUES = 8;
    private static final Map<String, Integer> LARGEST_IS_BEST =
        Map.of("_>=_", 1, "_>_", 1, "_<=_", -1, "_<_", -1);

    boolean holds(NodeFacts node) {
      return expression.holds(node);
    }

    /** What nodes have instead, if it can be said briefly: {@code the best has 16GB}. */
    Optional<String> instead(List<NodeFacts> nodes) {
      return compared().flatMap(attribute -> instead(attribute, nodes));
    }

    private Optional<String> instead(Attribute attribute, List<NodeFacts> nodes) {
      List<Object> values =
          nodes.stream().map(attribute::of).flatMap(Optional::stream).filter(Part::brief).toList();
      if (values.isEmpty()) {
        return Optional.of("none states its " + attribute);
      }
      int direction = direction(attribute);
      if (direction != 0 && values.stream().allMatch(Number.class::isInstance)) {
        Comparator<Object> order =
            Comparator.comparingDouble(value -> ((Number) value).doubleValue());
        Object best = values.stream().max(direction > 0 ? order : order.reversed()).orElseThrow();
        String found = attribute.format(best);
        return Optional.of(nodes.size() == 1 ? "it has " + found : "the best has " + found);
      }
      return Optional.of((nodes.size() == 1 ? "it has " : "there is ") + list(attribute, values));
    }

    private static boolean brief(Object value) {
      boolean zero = value instanceof Number number && number.doubleValue() == 0;
      return !zero && !Objects.equals(value, "") && !Objects.equals(value, List.of());
    }

    private static String list(Attribute attribute, List<Object> values) {
      TreeSet<String> texts = new TreeSet<>();
      for (Object value : values) {
        if (value instanceof Collection<?> many) {
          many.forEach(one -> texts.add(attribute.format(one)));
        } else {
          texts.add(attribute.format(value));
        }
      }
      String shown = texts.stream().limit(MAX_VALUES).collect(Collectors.joining(", "));
      return texts.size() > MAX_VALUES ? shown + ", …" : shown;
    }

    /** The attribute that the part compares or searches. */
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
      boolean first =
          Syntax.attribute(call.arguments().get(0)).filter(attribute::equals).isPresent();
      return first ? sign : -sign;
    }
  }
}
