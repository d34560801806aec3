/**
 * Jobs: their submission, states, ends, retries and history. Owns every change of a job's state;
 * other parts of the central manager use {@link io.millrace.manager.job.JobLedger}.
 */
package io.millrace.manager.job;
