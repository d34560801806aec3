package io.millrace.queuenode.web;

/** Takes the white space out of JSON text and leaves every value as it is written. */
final class JsonText {
  private JsonText() {}

  /** The same JSON on one line. The text must be well-formed. */
  static String compact(String json) {
    StringBuilder compact = null;
    boolean inString = false;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      boolean space = !inString && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
      if (space && compact == null) {
        compact = new StringBuilder(json.length()).append(json, 0, i);
      } else if (!space && compact != null) {
        compact.append(c);
      }
      if (c == '"') {
        inString = !inString;
      } else if (c == '\\' && inString) {
        // The escaped character can't end the string.
        i++;
        if (compact != null) {
          compact.append(json.charAt(i));
        }
      }
    }
    return compact == null ? json : compact.toString();
  }
}
