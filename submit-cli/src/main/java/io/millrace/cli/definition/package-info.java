/** Applying definition files; their text goes to the server unread. */
package io.millrace.cli.definition;
