package io.millrace.manager.placement;

import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages about what is wrong with an expression, where, and what to write instead. */
@Pure
final class ExpressionErrors {
  private static final Pattern NEAR = Pattern.compile("(?:input|at:?) '(.*?)\\s*'(?: |$)");
  private static final int LONGEST_QUOTE = 40;
  private static final Pattern OVERLOAD =
      Pattern.compile("found no matching overload for '(.+?)' applied to '(.+?)'");
  private static final Map<String, String> INSTEAD =
      Map.of("and", "&&", "or", "||", "not", "!", "=", "==", "&", "&&", "|", "||", "<>", "!=");

  private final String field;

  ExpressionErrors(String field) {
    this.field = field;
  }

  MillraceException tooLong(int length) {
    return plain("%d characters; use at most %d".formatted(length, NodeLanguage.LONGEST), null);
  }

  MillraceException plain(String message, Throwable cause) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, field + ": " + message, cause);
  }

  /** The first finding of the library, as a message of ours. */
  MillraceException of(CelValidationException refusal, ExpressionText source) {
    List<CelIssue> issues = refusal.getErrors();
    if (issues.isEmpty()) {
      return plain(refusal.getMessage(), refusal);
    }
    CelIssue first = issues.get(0);
    int column = first.getSourceLocation().getColumn();
    String position = column < 0 ? "" : " at character " + (source.origin(column) + 1);
    return plain(describe(first.getMessage(), position), refusal);
  }

  private static String describe(String message, String position) {
    Matcher overload = OVERLOAD.matcher(message);
    if (overload.find()) {
      return mismatch(overload.group(1), overload.group(2), position);
    }
    if (message.contains("recursion limit") || message.contains("exceeds limit")) {
      return "too deeply nested or too large; simplify it";
    }
    if (message.contains("expression node count")) {
      return "too large; shorten it";
    }
    Matcher near = NEAR.matcher(message);
    String found = near.find() ? near.group(1).strip() : "";
    found = found.length() > LONGEST_QUOTE ? found.substring(0, LONGEST_QUOTE) + "…" : found;
    if (found.equals("<EOF>")) {
      return "ends unexpectedly" + position;
    }
    String instead = INSTEAD.get(found);
    if (instead != null) {
      return "'%s'%s is not valid; use %s".formatted(found, position, instead);
    }
    if (!found.isEmpty()) {
      return "'%s'%s is not valid; an example is memory >= 8GB && label.gpu == \"a100\""
          .formatted(found, position);
    }
    String brief = message.length() > 200 ? message.substring(0, 200) + "…" : message;
    return brief + position;
  }

  private static String mismatch(String function, String types, String position) {
    String name = function.replace("_", "").replace("@", "");
    String advice =
        types.contains("string") && (types.contains("int") || types.contains("double"))
            ? "; labels and software are strings: use quotes, as in \"17\", or compare versions with"
                + " software.java.atLeast(\"17\")"
            : "; compare numbers with numbers and strings with strings";
    return "'%s'%s is not defined for %s%s".formatted(name, position, types, advice);
  }
}
