/** Puts the whole state of the cluster together for the dashboard and the CLI. */
package io.millrace.manager.overview;
