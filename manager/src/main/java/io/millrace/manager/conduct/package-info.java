/**
 * What the manager of a task's run does next. Pure: the task manager program brings what it was
 * told and carries the step out.
 */
package io.millrace.manager.conduct;
