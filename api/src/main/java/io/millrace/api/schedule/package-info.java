/** When something is planned to happen; read by task definitions, the CLI and the dashboard. */
package io.millrace.api.schedule;
