package io.millrace.api.weight;

/**
 * Points of a queue that go from one node to another.
 *
 * @param queue the queue
 * @param version the version of its weight row that the decision was made on
 * @param from the giving node's name
 * @param to the receiving node's name
 * @param points at least 1
 */
public record WeightMove(String queue, long version, String from, String to, int points) {}
