/**
 * What people type to find jobs, read into a {@link io.millrace.manager.job.search.JobSearch}.
 * Pure: no I/O. Called by the routes of jobs and by actions on many jobs.
 */
package io.millrace.manager.job.search;
