/** Sharing resources out among the living members of a group. */
package io.millrace.api.partition;
