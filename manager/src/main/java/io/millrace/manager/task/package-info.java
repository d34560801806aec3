/**
 * Tasks: their schedule rows, which fire; their runs, which a task manager conducts; the pure rules
 * of both. The central manager wires it, routes call the desks.
 */
package io.millrace.manager.task;
