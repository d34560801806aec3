package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.List;
import java.util.regex.Pattern;

/** How rules of job specifications are checked and refused: the field, then the fix. Pure. */
final class FieldChecks {
  private FieldChecks() {}

  static MillraceException refuse(String field, String fix) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, field + ": " + fix);
  }

  static void require(boolean kept, String field, String fix) {
    if (!kept) {
      throw refuse(field, fix);
    }
  }

  /** Null is allowed. */
  static void checkName(String field, String name, Pattern form, String words) {
    if (name != null && !form.matcher(name).matches()) {
      throw refuse(field, "'" + shortened(name) + "' is no name; use " + words);
    }
  }

  static void checkTexts(String field, List<String> texts, int longest) {
    for (String text : texts) {
      checkLength(field, text, longest);
    }
  }

  /** Null is allowed. */
  static void checkLength(String field, String text, int longest) {
    if (text == null) {
      return;
    }
    if (text.length() > longest) {
      throw refuse(field, "it has " + text.length() + " characters; use at most " + longest);
    }
    if (text.indexOf('\0') >= 0) {
      throw refuse(field, "it holds a NUL character, which no program can be given");
    }
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 99) + "…";
  }
}
