package io.millrace.api.definition;

/**
 * Asks for an earlier version's content as a new version.
 *
 * @param version whose content; null for the version before the one in force
 * @param dryRun only say what would change
 */
public record RollbackRequest(Integer version, boolean dryRun) {}
