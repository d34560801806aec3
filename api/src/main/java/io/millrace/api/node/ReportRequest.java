package io.millrace.api.node;

import java.util.List;

/**
 * Reports in the order they happened.
 *
 * @param reports at most 1,000
 */
public record ReportRequest(List<AttemptReport> reports) {}
