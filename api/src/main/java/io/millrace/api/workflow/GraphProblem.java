package io.millrace.api.workflow;

/**
 * Something that is wrong with a graph of steps.
 *
 * @param path of the key in a file with the graph, such as {@code steps[3].name}; empty for the
 *     whole
 * @param text what is wrong and what to do
 */
public record GraphProblem(String path, String text) {
  @Override
  public String toString() {
    return path.isEmpty() ? text : path + ": " + text;
  }
}
