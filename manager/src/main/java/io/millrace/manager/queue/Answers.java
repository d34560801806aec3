package io.millrace.manager.queue;

import java.util.List;
import java.util.Map;

/**
 * What several nodes answered.
 *
 * @param values by node's name; a node without the segment has none
 * @param unreached nodes of which nothing is known
 */
record Answers<T>(Map<String, T> values, List<String> unreached) {}
