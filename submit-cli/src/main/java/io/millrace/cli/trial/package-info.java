/**
 * Trials: one worker of a definition file, run as a job with its output here, without touching what
 * is live. The commands and what needs the servers' class path are apart.
 */
package io.millrace.cli.trial;
