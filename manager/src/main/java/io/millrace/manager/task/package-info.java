/** Tasks: their runs, chunks and pauses, and the task manager program that conducts a run. */
package io.millrace.manager.task;
