package io.millrace.platform.claim;

import java.time.Instant;

/**
 * A claim as the database has it, for display.
 *
 * @param expiresAt by the database's clock
 * @param live whether it had not expired when it was read
 */
public record ClaimState(Claim claim, Instant expiresAt, boolean live) {}
