/** Tasks, their schedules, runs and chunks. */
package io.millrace.api.task;
