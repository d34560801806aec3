/**
 * The built-in programs: one paces a segment, as {@link io.millrace.manager.pacing} decides, one
 * conducts the run of a task, as {@link io.millrace.manager.conduct} decides; they record and
 * submit through any central manager. They run on execution nodes, so they use nothing of the
 * central manager but its API.
 */
package io.millrace.manager.program;
