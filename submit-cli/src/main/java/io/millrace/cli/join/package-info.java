/** Adding machines: one-use tokens, and what a new machine needs for its role. */
package io.millrace.cli.join;
