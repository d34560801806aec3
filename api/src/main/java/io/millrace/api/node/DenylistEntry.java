package io.millrace.api.node;

import java.time.Instant;

/**
 * A node that is closed to one definition because it failed there quickly again and again while it
 * succeeds elsewhere.
 *
 * @param definition what the jobs run
 * @param quickFailures in a row
 * @param until by the database's clock; then one is tried
 * @param reason the last failure, for people
 */
public record DenylistEntry(String definition, int quickFailures, Instant until, String reason) {}
