/**
 * What of a schedule is due, missed or skipped, and whether a window is open: calendars, cron
 * lines, the import of crontabs, and the rules of catching up. Pure: the caller brings the row of
 * the schedule and the time.
 */
package io.millrace.manager.schedule;
