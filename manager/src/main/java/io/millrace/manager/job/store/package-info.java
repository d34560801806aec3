/**
 * The SQL of jobs, attempts, bookings, history and worker totals. Every method works in its
 * caller's transaction and is given the database's time; only the packages {@code job}, {@code
 * dispatch} and {@code node} call it.
 */
package io.millrace.manager.job.store;
