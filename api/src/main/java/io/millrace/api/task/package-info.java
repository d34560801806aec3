/** Work without a queue: tasks, their runs and what is shown of them. */
package io.millrace.api.task;
