/** The state of the whole cluster as the dashboard and the CLI show it. */
package io.millrace.api.overview;
