/**
 * Schedules: cron expressions and their planned times, windows, the rules of catch-up and overlap,
 * and the import of crontabs. Pure: the caller passes the row of the schedule and the time.
 */
package io.millrace.manager.schedule;
