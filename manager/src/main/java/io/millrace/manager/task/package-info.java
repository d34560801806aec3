/** Tasks: their runs, chunks and pauses, and the task manager program that manages a run. */
package io.millrace.manager.task;
