package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import java.util.List;
import java.util.regex.Pattern;

/** Checks of fields of job specifications; messages name the field and the fix. Pure. */
final class FieldChecks {
  private FieldChecks() {}

  static MillraceException refuse(String field, String fix) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, field + ": " + fix);
  }

  static void require(boolean valid, String field, String fix) {
    if (!valid) {
      throw refuse(field, fix);
    }
  }

  /** Null is allowed. */
  static void checkName(String field, String name, Pattern form, String allowed) {
    if (name != null && !form.matcher(name).matches()) {
      throw refuse(field, "'" + ShownText.of(name) + "' is not a valid name; use " + allowed);
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
      throw refuse(field, "%d characters; use at most %d".formatted(text.length(), longest));
    }
    if (text.indexOf('\0') >= 0) {
      throw refuse(field, "contains a NUL character, which cannot be passed to a program");
    }
  }
}
