/**
 * The built-in program that paces one segment: reads figures, decides by {@link
 * io.millrace.manager.pacing}, records and submits through any central manager. Runs on execution
 * nodes, so it uses nothing of the central manager but its API.
 */
package io.millrace.manager.program;
