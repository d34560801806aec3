package io.millrace.manager.placement;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import io.millrace.api.Pure;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/** Refuses patterns that are not known before an expression runs, or that are broken. */
@Pure
final class Patterns {
  private static final int LONGEST = 200;

  private Patterns() {}

  static void check(Syntax.Call call, String place, Complaints complaints) {
    List<CelExpr> arguments = call.arguments();
    CelExpr last = arguments.isEmpty() ? null : arguments.get(arguments.size() - 1);
    if (last == null
        || last.getKind() != Kind.CONSTANT
        || last.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
      throw complaints.plain(
          "matches" + place + " takes a pattern in quotes: name.matches(\"^e[0-9]+$\")", null);
    }
    String pattern = last.constant().stringValue();
    if (pattern.length() > LONGEST) {
      throw complaints.plain(
          "the pattern"
              + place
              + " has "
              + pattern.length()
              + " characters; write at most "
              + LONGEST,
          null);
    }
    try {
      java.util.regex.Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw complaints.plain("the pattern" + place + " is broken: " + e.getDescription(), e);
    }
  }
}
