/** The rows of tasks, their runs and their workers; only the package above calls it. */
package io.millrace.manager.task.store;
