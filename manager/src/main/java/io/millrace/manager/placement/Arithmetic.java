package io.millrace.manager.placement;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import io.millrace.api.Pure;
import java.util.List;

/** Arithmetic between whole numbers and fractions, which the language itself refuses. */
@Pure
enum Arithmetic {
  ADD("_+_"),
  SUBTRACT("_-_"),
  MULTIPLY("_*_"),
  DIVIDE("_/_");

  private final String operator;

  Arithmetic(String operator) {
    this.operator = operator;
  }

  static void declare(List<CelFunctionDecl> declarations, List<CelFunctionBinding> bindings) {
    for (Arithmetic operation : values()) {
      declarations.add(operation.declaration());
      bindings.add(
          CelFunctionBinding.from(
              operation.fractionFirst(), Double.class, Long.class, operation::apply));
      bindings.add(
          CelFunctionBinding.from(
              operation.wholeFirst(), Long.class, Double.class, operation::apply));
    }
  }

  private CelFunctionDecl declaration() {
    return CelFunctionDecl.newFunctionDeclaration(
        operator,
        CelOverloadDecl.newGlobalOverload(
            fractionFirst(), SimpleType.DOUBLE, SimpleType.DOUBLE, SimpleType.INT),
        CelOverloadDecl.newGlobalOverload(
            wholeFirst(), SimpleType.DOUBLE, SimpleType.INT, SimpleType.DOUBLE));
  }

  private String fractionFirst() {
    return "fraction_" + name() + "_whole";
  }

  private String wholeFirst() {
    return "whole_" + name() + "_fraction";
  }

  private double apply(Number first, Number second) {
    double left = first.doubleValue();
    double right = second.doubleValue();
    return switch (this) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> left / right;
    };
  }
}
