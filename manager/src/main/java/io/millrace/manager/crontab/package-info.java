/**
 * Turns a crontab into task definitions. Pure: text in, text out; the command line reads the file
 * and writes the definitions.
 */
package io.millrace.manager.crontab;
