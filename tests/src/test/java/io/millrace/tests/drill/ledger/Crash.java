package io.millrace.tests.drill.ledger;

/**
 * A queue node was killed.
 *
 * @param node its name
 * @param at on the drill's clock
 */
public record Crash(String node, long at) {}
