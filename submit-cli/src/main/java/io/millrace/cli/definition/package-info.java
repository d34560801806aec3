/**
 * Definition files: applied (their text goes to the server unread), checked without a server, shown
 * in their versions.
 */
package io.millrace.cli.definition;
