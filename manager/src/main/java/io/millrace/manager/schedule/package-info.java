/**
 * Decides what of a schedule is due, missed or skipped, and whether a window is open. Pure: the
 * caller brings the row of the schedule and the database's time, and writes what was decided.
 */
package io.millrace.manager.schedule;
