package io.millrace.manager.placement;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.Expression;
import io.millrace.api.Pure;
import io.millrace.api.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Helps to inspect the syntax trees of expressions. Pure. */
@Pure
final class Syntax {
  /**
   * A call, its target being the first argument.
   *
   * @param function or operator, as the library names it
   * @param arguments in order
   */
  record Call(String function, List<CelExpr> arguments) {}

  private Syntax() {}

  static Call call(CelExpr node) {
    // Through the interface, whose lists are ordinary ones.
    Expression.Call<CelExpr> call = node.call();
    List<CelExpr> arguments = new ArrayList<>();
    call.target().ifPresent(arguments::add);
    arguments.addAll(call.args());
    return new Call(call.function(), arguments);
  }

  static List<CelExpr> children(CelExpr node) {
    return switch (node.getKind()) {
      case CALL -> call(node).arguments();
      case SELECT -> List.of(node.select().operand());
      case LIST -> elements(node.list());
      case MAP -> entries(node.map());
      default -> List.of();
    };
  }

  private static List<CelExpr> elements(Expression.List<CelExpr> list) {
    return list.elements();
  }

  private static List<CelExpr> entries(
      Expression.Map<? extends Expression.Map.Entry<CelExpr>> map) {
    List<CelExpr> all = new ArrayList<>();
    for (Expression.Map.Entry<CelExpr> entry : map.entries()) {
      all.add(entry.key());
      all.add(entry.value());
    }
    return all;
  }

  static void walk(CelExpr node, Consumer<CelExpr> visitor) {
    visitor.accept(node);
    children(node).forEach(child -> walk(child, visitor));
  }

  /**
   * The attribute that an expression is: {@code memory}, {@code label.gpu}, {@code label["gpu"]}.
   */
  static Optional<Attribute> attribute(CelExpr node) {
    if (node.getKind() == Kind.IDENT) {
      return Optional.of(new Attribute(node.ident().name(), null));
    }
    if (node.getKind() == Kind.SELECT && !node.select().testOnly()) {
      return under(node.select().operand(), node.select().field());
    }
    if (node.getKind() == Kind.CALL && call(node).function().equals("_[_]")) {
      List<CelExpr> arguments = call(node).arguments();
      return text(arguments.get(1)).flatMap(key -> under(arguments.get(0), key));
    }
    return Optional.empty();
  }

  private static Optional<Attribute> under(CelExpr map, String key) {
    return map.getKind() == Kind.IDENT
        ? Optional.of(new Attribute(map.ident().name(), key))
        : Optional.empty();
  }

  private static Optional<String> text(CelExpr node) {
    return node.getKind() == Kind.CONSTANT
            && node.constant().getKind() == CelConstant.Kind.STRING_VALUE
        ? Optional.of(node.constant().stringValue())
        : Optional.empty();
  }

  /**
   * An attribute of a node.
   *
   * @param variable of the language
   * @param key in it, if it is a map; null otherwise
   */
  @Pure
  record Attribute(String variable, String key) {
    /** The value of a node. */
    Optional<Object> of(NodeFacts node) {
      Optional<Object> value = node.value(variable);
      return key == null
          ? value
          : value.map(map -> map instanceof Map<?, ?> entries ? entries.get(key) : null);
    }

    /** A human-readable form of a value. */
    String format(Object value) {
      if (variable.equals("memory") && value instanceof Long bytes) {
        return Sizes.readable(bytes);
      }
      return value instanceof Double number ? Numbers.number(number) : String.valueOf(value);
    }

    @Override
    public String toString() {
      return key == null ? variable : variable + "." + key;
    }

    /** Human-readable amounts. */
    @Pure
    private static final class Numbers {
      private Numbers() {}

      /** A number without trailing zeros: {@code 4}, {@code 0.5}. */
      static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
          return Long.toString((long) value);
        }
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceAll("0+$", "");
      }
    }
  }
}
