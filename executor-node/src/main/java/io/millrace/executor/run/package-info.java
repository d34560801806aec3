/**
 * Runs one attempt of a job: its environment, its command or built-in program, its events, and its
 * result; keeps what a restarted node needs to continue, and deletes old logs.
 */
package io.millrace.executor.run;
