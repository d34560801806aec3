package io.millrace.api.node;

import java.time.Instant;

/**
 * A one-use token for one new machine.
 *
 * @param token to be written to a file there; shown once
 * @param role what it joins as
 * @param expiresAt by the database's clock
 */
public record JoinToken(String token, String role, Instant expiresAt) {}
