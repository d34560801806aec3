/** The kinds of definitions that this Millrace knows; the central manager and the CLI ask it. */
package io.millrace.manager.kind;
