package io.millrace.api;

import java.util.regex.Pattern;

/** The rule for names that are used in addresses, file names and tables. Pure. */
public final class Names {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,59}");

  private Names() {}

  /**
   * Checks a name: 1 to 60 letters, digits, dots, dashes or underscores, of which the first is a
   * letter or a digit.
   *
   * @param what the field that holds it, for messages
   * @throws MillraceException with the code when the text is null or not such a name
   */
  public static void require(String what, String text, ErrorCode code) {
    if (text == null) {
      throw new MillraceException(code, what + " is missing");
    }
    if (!FORM.matcher(text).matches()) {
      throw new MillraceException(
          code,
          what
              + " must be 1 to 60 letters, digits, dots, dashes or underscores, not '"
              + ShownText.of(text)
              + "'");
    }
  }
}
