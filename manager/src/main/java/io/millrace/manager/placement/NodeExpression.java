package io.millrace.manager.placement;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.Program;
import io.millrace.api.Pure;
import java.util.Optional;

/**
 * A compiled expression. Thread-safe.
 *
 * @param tree its syntax
 * @param type of its value
 * @param program what computes it
 */
@Pure
record NodeExpression(CelExpr tree, CelType type, Program program) {
  /** Its value for a node; empty when it asks for what the node doesn't have. */
  Optional<Object> value(NodeFacts node) {
    try {
      return Optional.of(program.eval(node.resolver()));
    } catch (CelEvaluationException e) {
      return Optional.empty();
    }
  }

  /** Whether it is true for a node. */
  boolean holds(NodeFacts node) {
    return value(node).filter(Boolean.TRUE::equals).isPresent();
  }
}
