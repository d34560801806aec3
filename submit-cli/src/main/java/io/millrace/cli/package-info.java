/**
 * The {@code millrace} command: puts the commands of the packages below it together and runs one.
 */
package io.millrace.cli;
