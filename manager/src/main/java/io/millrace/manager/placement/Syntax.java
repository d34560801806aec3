package io.millrace.manager.placement;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.Expression;
import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Looks into compiled syntax. Pure. */
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
    // By the interface, whose lists are the platform's own.
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
}
