package io.millrace.manager.placement;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import io.millrace.api.Pure;
import java.util.Set;

/**
 * Which nodes a job prefers: those with the highest value. Immutable, thread-safe; the cost of an
 * evaluation is bounded by the length of the text.
 */
@Pure
public final class Rank {
  /** No preference. */
  public static final Rank NONE = new Rank("", null);

  private static final String FIELD = "rank";
  private static final Set<CelType> USABLE =
      Set.of(SimpleType.INT, SimpleType.DOUBLE, SimpleType.BOOL);

  private final String text;
  private final NodeExpression expression;

  private Rank(String text, NodeExpression expression) {
    this.text = text;
    this.expression = expression;
  }

  /**
   * Compiles; null and blank mean no preference.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST that names the position and the fix
   */
  public static Rank parse(String text) {
    if (text == null || text.isBlank()) {
      return NONE;
    }
    NodeExpression expression = NodeLanguage.INSTANCE.compile(FIELD, text);
    if (!USABLE.contains(expression.type())) {
      throw new ExpressionErrors(FIELD)
          .plain("its value is not a number; use for instance cpus, or -slots", null);
    }
    return new Rank(text.strip(), expression);
  }

  /** The value of a node: true counts as 1, false as 0, and a failed evaluation as the lowest. */
  public double value(NodeFacts node) {
    if (expression == null) {
      return 0;
    }
    Object value = expression.value(node).orElse(null);
    if (value instanceof Boolean yes) {
      return yes ? 1 : 0;
    }
    double number = value instanceof Number known ? known.doubleValue() : Double.NaN;
    return Double.isNaN(number) ? Double.NEGATIVE_INFINITY : number;
  }

  /** Whether there is any preference. */
  public boolean given() {
    return expression != null;
  }

  /** As written; empty for none. */
  @Override
  public String toString() {
    return text;
  }
}
