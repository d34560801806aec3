package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.util.List;

/**
 * What became of the reports.
 *
 * @param refused not current any more: nothing was recorded for them
 */
public record ReportAnswer(List<AttemptId> refused) {}
