/** What users of other schedulers bring with them: their scripts and their graphs of jobs. */
package io.millrace.cli.migration;
