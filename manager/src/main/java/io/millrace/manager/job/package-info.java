/**
 * Jobs: submission, states, attempts, arrays, dependencies, lanes, retries, search, usage profiles,
 * notifications and history. Owns every change of a job's state; other packages use {@link
 * io.millrace.manager.job.JobLedger}.
 */
package io.millrace.manager.job;
