package io.millrace.api.definition;

import java.util.List;

/**
 * What applying did, or would do.
 *
 * @param dryRun whether nothing was changed
 * @param changes one for each definition in the files
 */
public record ApplyAnswer(boolean dryRun, List<ApplyChange> changes) {}
