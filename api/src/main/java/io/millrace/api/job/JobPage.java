package io.millrace.api.job;

import java.util.List;

/**
 * A page of jobs, newest first.
 *
 * @param jobs the page
 * @param next pass it as {@code before} for the page after; null at the end
 */
public record JobPage(List<JobView> jobs, Long next) {}
