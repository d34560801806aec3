package io.millrace.api.definition;

import java.util.List;

/**
 * Asks to make the definitions be as the files say; all of it is done, or nothing.
 *
 * @param files in the order of the operator
 * @param dryRun only say what would change
 */
public record ApplyRequest(List<SourceFile> files, boolean dryRun) {}
