package io.millrace.platform.membership;

/**
 * One message between members, as a string: nothing else needs to be deserialized.
 *
 * @param key whose words
 * @param json the words; empty takes back what was said
 */
record Saying(String key, String json) {
  Saying {
    if (key.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("a key of the cluster view is one line");
    }
  }

  String text() {
    return key + "\n" + json;
  }

  static Saying parse(String text) {
    int end = text.indexOf('\n');
    return end < 0
        ? new Saying(text, "")
        : new Saying(text.substring(0, end), text.substring(end + 1));
  }

  boolean withdrawn() {
    return json.isEmpty();
  }
}
