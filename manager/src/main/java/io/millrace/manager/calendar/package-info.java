/**
 * Knows when a schedule's planned times are and says them in words. Pure; the only package that
 * sees Quartz, which does the calendar arithmetic of cron expressions here and nothing else.
 */
package io.millrace.manager.calendar;
