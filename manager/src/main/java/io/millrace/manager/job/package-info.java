/**
 * Jobs: submission, states, attempts, arrays, dependencies, lanes, retries, search, usage profiles,
 * notifications and history. Owns every change of a job's state: other packages make them through
 * {@link io.millrace.manager.job.JobLedger} and the services beside it, within their own
 * transactions, and read rows through the Daos.
 */
package io.millrace.manager.job;
