/** Commands about definitions: checked, applied, tried, compared, rolled back. */
package io.millrace.cli.definition;
