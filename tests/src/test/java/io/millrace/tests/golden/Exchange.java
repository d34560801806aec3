package io.millrace.tests.golden;

import java.util.Map;

/**
 * One HTTP request with its answer.
 *
 * @param server the server's role, for instance {@code manager}
 * @param route the route that answered, method and pattern
 * @param role the role of the token that was sent; null for none
 * @param request null for no body
 * @param headers of the answer, only those on which callers rely
 * @param shapeOnly whether only names and types of the answer's fields are compared
 */
record Exchange(
    String server,
    String route,
    String title,
    String method,
    String path,
    String role,
    Map<String, String> requestHeaders,
    String request,
    int status,
    Map<String, String> headers,
    String body,
    boolean shapeOnly) {

  boolean refused() {
    return status >= 400;
  }

  String render(Normalizer normalizer) {
    StringBuilder text = new StringBuilder();
    text.append("### ").append(title).append('\n');
    text.append(method).append(' ').append(normalizer.line(path)).append('\n');
    text.append("as: ").append(role == null ? "nobody" : role).append('\n');
    requestHeaders.forEach(
        (name, value) -> text.append(name).append(": ").append(value).append('\n'));
    if (request != null) {
      text.append('\n').append(normalizer.body(null, request).stripTrailing()).append('\n');
    }
    text.append("\n--> ").append(status).append('\n');
    headers.forEach(
        (name, value) ->
            text.append(name).append(": ").append(normalizer.line(value)).append('\n'));
    if (!body.isEmpty()) {
      String shown =
          shapeOnly ? normalizer.shape(body) : normalizer.body(headers.get("content-type"), body);
      text.append('\n').append(shown.stripTrailing()).append('\n');
    }
    return text.append('\n').toString();
  }
}
