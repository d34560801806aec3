/** Makes commands start fast: a rehearsal that loads what they need, for the archive of classes. */
package io.millrace.cli.startup;
