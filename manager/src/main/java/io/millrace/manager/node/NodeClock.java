package io.millrace.manager.node;

import java.time.Instant;

/**
 * What an execution node last said of its clock.
 *
 * @param name the node's
 * @param heardAt when, by the database's clock
 * @param offsetMillis its clock minus the database's then
 */
public record NodeClock(String name, Instant heardAt, long offsetMillis) {}
