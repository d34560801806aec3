package io.millrace.manager.placement;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.platform.document.NearestName;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Refuses unknown names in expressions, and suggests what was probably meant. */
@Pure
final class ExpressionNames {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z]\\w*");
  private static final Pattern QUANTITY = Pattern.compile("[kKmMgGtT][iI]?[bB]?");

  private final CelAbstractSyntaxTree parsed;
  private final ExpressionText source;
  private final ExpressionErrors errors;

  private ExpressionNames(
      CelAbstractSyntaxTree parsed, ExpressionText source, ExpressionErrors errors) {
    this.parsed = parsed;
    this.source = source;
    this.errors = errors;
  }

  static void check(CelAbstractSyntaxTree parsed, ExpressionText source, ExpressionErrors errors) {
    ExpressionNames names = new ExpressionNames(parsed, source, errors);
    Syntax.walk(parsed.getExpr(), names::check);
  }

  private void check(CelExpr node) {
    if (node.getKind() == Kind.IDENT) {
      String name = node.ident().name();
      if (!NodeLanguage.VARIABLES.containsKey(name)) {
        throw unknownAttribute(name, node.id());
      }
    } else if (node.getKind() == Kind.CALL) {
      check(node.id(), Syntax.call(node));
    }
  }

  private void check(long id, Syntax.Call call) {
    String function = call.function();
    if (PLAIN.matcher(function).matches() && !NodeLanguage.FUNCTIONS.contains(function)) {
      Set<String> known = new TreeSet<>(NodeLanguage.FUNCTIONS);
      throw errors.plain(
          "unknown function '" + function + "'" + position(id) + suggestion(function, known), null);
    }
    if (function.equals("matches")) {
      Patterns.check(call, position(id), errors);
    }
  }

  private MillraceException unknownAttribute(String name, long id) {
    Set<String> known = NodeLanguage.VARIABLES.keySet();
    String quotes =
        NearestName.of(name, known).isPresent() || QUANTITY.matcher(name).matches()
            ? ""
            : "; strings need quotes: \"" + name + "\"";
    return errors.plain(
        "unknown attribute '" + name + "'" + position(id) + suggestion(name, known) + quotes, null);
  }

  private static String suggestion(String name, Set<String> known) {
    String near =
        NearestName.of(name, known).map(found -> "did you mean '" + found + "'? ").orElse("");
    return "; " + near + "known: " + String.join(", ", known);
  }

  private String position(long id) {
    Integer at = parsed.getSource().getPositionsMap().get(id);
    return at == null ? "" : " at character " + (source.origin(at) + 1);
  }

  /** Refuses patterns that are invalid, or not constant. */
  @Pure
  private static final class Patterns {
    private static final int LONGEST = 200;

    private Patterns() {}

    static void check(Syntax.Call call, String position, ExpressionErrors errors) {
      List<CelExpr> arguments = call.arguments();
      CelExpr last = arguments.isEmpty() ? null : arguments.get(arguments.size() - 1);
      if (last == null
          || last.getKind() != Kind.CONSTANT
          || last.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
        throw errors.plain(
            "matches" + position + " takes a pattern in quotes: name.matches(\"^e[0-9]+$\")", null);
      }
      String pattern = last.constant().stringValue();
      if (pattern.length() > LONGEST) {
        throw errors.plain(
            "the pattern%s has %d characters; use at most %d"
                .formatted(position, pattern.length(), LONGEST),
            null);
      }
      try {
        java.util.regex.Pattern.compile(pattern);
      } catch (PatternSyntaxException e) {
        throw errors.plain(
            "the pattern%s is invalid: %s".formatted(position, e.getDescription()), e);
      }
    }
  }
}
