/** How names of queues and nodes look. Used by whoever defines or configures one. */
package io.millrace.api.name;
